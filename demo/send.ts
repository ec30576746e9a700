import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import type { EventDelivery, HitDelivery } from './messages.ts'

export interface Sender {
  hits(deliveries: readonly HitDelivery[], onProgress: Progress): Promise<void>
  events(deliveries: readonly EventDelivery[], onProgress: Progress): Promise<void>
  close(): Promise<void>
}

export type Progress = (done: number) => void

export interface SenderOptions {
  baseUrl: string
  key: string
  trackingKey: string
  signal?: AbortSignal | undefined
  /** How long one request is tried again while the service is away or asks to wait. */
  patienceMs?: number
}

const atOnce = 48

/** The business's browsers and servers: plain HTTP against the collectors, a bounded number of requests at once. */
export function connectSender(options: SenderOptions): Sender {
  const { baseUrl, key, trackingKey, signal } = options
  const agent = new Agent({ connections: atOnce, pipelining: 1 })
  const post = (path: string, headers: Record<string, string>, body: () => object) =>
    persist(options, () =>
      agent.request({
        origin: baseUrl,
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body()),
        signal: signal ?? null,
      }),
    )
  return {
    hits: (deliveries, onProgress) =>
      forEach(deliveries, onProgress, ({ device, country, events }) =>
        post('/collect', { 'user-agent': device.userAgent, 'x-country-code': country }, () => ({
          tracking_key: trackingKey,
          visitor_id: device.visitorId,
          sent_at: new Date(Date.now() + device.clockErrorMs).toISOString(),
          events,
        })),
      ),
    events: (deliveries, onProgress) =>
      forEach(deliveries, onProgress, (event) =>
        post('/api/v1/events', { authorization: `Bearer ${key}` }, () => event),
      ),
    close: () => agent.destroy(),
  }
}

async function forEach<T>(items: readonly T[], onProgress: Progress, send: (item: T) => Promise<void>) {
  let next = 0
  let done = 0
  const work = async () => {
    while (next < items.length) {
      await send(items[next++]!)
      onProgress(++done)
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, work))
  const failed = workers.find((worker) => worker.status === 'rejected')
  if (failed) throw failed.reason
}

/** Every delivery may be sent again without harm, so a restart of the service costs time and nothing else. */
async function persist(
  { signal, patienceMs = 90_000 }: SenderOptions,
  request: () => Promise<Dispatcher.ResponseData>,
): Promise<void> {
  const giveUpAt = Date.now() + patienceMs
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
    let waitMs = pauseMs
    try {
      const { statusCode, headers, body } = await request()
      const text = await body.text()
      if (statusCode < 300) return
      if (statusCode !== 429 && statusCode < 500) throw new Refused(`${statusCode}: ${text.slice(0, 300)}`)
      waitMs = Math.max(waitMs, Number(headers['retry-after'] ?? 0) * 1000)
      if (Date.now() + waitMs > giveUpAt) throw new Refused(`${statusCode}: ${text.slice(0, 300)}`)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof Refused || Date.now() + waitMs > giveUpAt) throw error
    }
    await sleep(waitMs, undefined, { signal })
  }
}

/** The service said no, or did not come back in time. */
export class Refused extends Error {}
