import autocannon from 'autocannon'
import { browser } from '../browser.ts'
import { answer, settings } from './message.ts'

export interface LoadSettings {
  url: string
  bodies: string[]
  connections: number
  seconds: number
  /** Beside a browser's own. */
  headers?: Record<string, string>
}

export interface Load {
  requestsPerSecond: number
  p99Ms: number
  failed: number
}

/** Closed-loop load: every connection sends its next request when the one before was answered. */
const { url, bodies, connections, seconds, headers } = await settings<LoadSettings>()
let next = 0
const run = (duration: number) =>
  autocannon({
    url,
    connections,
    duration,
    timeout: 10,
    method: 'POST',
    headers: { ...browser, ...headers },
    setupClient: (client) => client.setBody(bodies[next++ % bodies.length]!),
  })

await run(1)
const { requests, latency, non2xx, errors, timeouts, '2xx': accepted, duration } = await run(seconds)
answer({
  requestsPerSecond: accepted / duration,
  p99Ms: latency.p99,
  failed: non2xx + errors + timeouts,
  sent: requests.sent,
})
