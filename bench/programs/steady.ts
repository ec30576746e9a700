import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'
import { browser } from '../browser.ts'
import { answer, settings } from './message.ts'

export interface SteadySettings {
  origin: string
  trackingKey: string
  eventsPerSecond: number
  seconds: number
}

export interface Steady {
  accepted: number
  failed: number
}

/** Open-loop load: a fixed number of hits a second, whatever the answers do; one in ten is a sale. */
const { origin, trackingKey, eventsPerSecond, seconds } = await settings<SteadySettings>()
const agent = new Agent({ connections: 64, pipelining: 1 })
const visitors = Array.from({ length: 20_000 }, () => randomUUID())
const result: Steady = { accepted: 0, failed: 0 }
const under: Promise<void>[] = []

async function send(n: number): Promise<void> {
  const event = {
    event_id: randomUUID(),
    event_type: n % 10 === 0 ? 'payment_received' : 'page_view',
    url: `https://shop.example/p/${n % 500}?utm_source=google&utm_medium=cpc&utm_campaign=c${n % 40}`,
    ...(n % 10 === 0 && { properties: { value: 49.9, currency: 'USD' } }),
  }
  const visitor_id = visitors[Math.floor(Math.random() * visitors.length)]
  try {
    const { statusCode, body } = await agent.request({
      origin,
      path: '/collect',
      method: 'POST',
      headers: browser,
      body: JSON.stringify({ tracking_key: trackingKey, visitor_id, events: [event] }),
    })
    await body.dump()
    if (statusCode === 204) result.accepted++
    else result.failed++
  } catch {
    result.failed++
  }
}

const began = performance.now()
for (let sent = 0; sent < eventsPerSecond * seconds; ) {
  const due = Math.min(eventsPerSecond * seconds, ((performance.now() - began) / 1000) * eventsPerSecond)
  for (; sent < due; sent++) under.push(send(sent))
  await new Promise((resolve) => setTimeout(resolve, 10))
}
await Promise.all(under)
answer(result)
