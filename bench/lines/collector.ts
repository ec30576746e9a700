import { randomUUID } from 'node:crypto'
import { type Line, type Pair, ratioAtLeast, valueAtMost } from '../line.ts'
import { connectionCounts, load, warmUp } from '../load.ts'
import { openProfile } from '../profile.ts'

const bare = 'bare Fastify route'

/** Hits a second that `POST /collect` accepts, each acknowledged by Kafka before its 204. */
export const collector: Line = {
  name: 'collector',
  figures: [
    ...connectionCounts.map((count) => ({
      name: `single hits, ${count.toLocaleString('en-US')} connections`,
      unit: 'hits/s',
      beside: bare,
      target: ratioAtLeast(0.5),
    })),
    { name: 'p99, 1,024 connections', unit: 'ms', beside: bare, target: valueAtMost(250) },
    { name: '256 callers, a connection for each hit', unit: 'hits/s', beside: bare, target: ratioAtLeast(0.3) },
    {
      name: 'batches of 20, 256 connections',
      unit: 'hits/s',
      beside: 'single hits of the same round',
      target: ratioAtLeast(4),
    },
  ],
  async open(stage) {
    const { trackingKey } = await openProfile(stage)
    const api = await stage.service('api')
    const route = stage.program('bare-route.ts', {})
    const { port } = await route.next<{ port: number }>()
    const ours = `${stage.config.baseUrl}/collect`
    const theirs = `http://127.0.0.1:${port}/collect`
    const seconds = stage.isQuick ? 3 : 5
    const singles = bodies(trackingKey, 1)
    const batches = bodies(trackingKey, 20)
    await warmUp(stage, [
      { url: theirs, bodies: singles },
      { url: ours, bodies: singles },
    ])
    return {
      async measure() {
        const rates: Pair[] = []
        let p99: Pair = { value: 0, limit: 0 }
        for (const count of connectionCounts) {
          const limit = await load(stage, { url: theirs, bodies: singles, connections: count, seconds })
          const value = await load(stage, { url: ours, bodies: singles, connections: count, seconds })
          rates.push({ value: value.requestsPerSecond, limit: limit.requestsPerSecond })
          p99 = { value: value.p99Ms, limit: limit.p99Ms }
        }
        const once = { bodies: singles, connections: 256, seconds, headers: { connection: 'close' } }
        const [newToThem, newToUs] = [
          await load(stage, { url: theirs, ...once }),
          await load(stage, { url: ours, ...once }),
        ]
        const fresh = { value: newToUs.requestsPerSecond, limit: newToThem.requestsPerSecond }
        const batched = await load(stage, { url: ours, bodies: batches, connections: 256, seconds })
        return [...rates, p99, fresh, { value: batched.requestsPerSecond * 20, limit: rates[1]!.value }]
      },
      async close() {
        await route.stop()
        await api.stop()
      },
    }
  },
}

/** A body for each connection: another visitor on another landing page, about 300 bytes with one hit. */
function bodies(trackingKey: string, hits: number): string[] {
  return Array.from({ length: 512 }, (_, visitor) =>
    JSON.stringify({
      tracking_key: trackingKey,
      visitor_id: randomUUID(),
      events: Array.from({ length: hits }, (_, hit) => ({
        event_id: randomUUID(),
        event_type: 'page_view',
        url: `https://shop.example/p/${visitor}/${hit}?utm_source=google&utm_medium=cpc&utm_campaign=c${visitor % 40}`,
        referrer: 'https://www.google.com/',
      })),
    }),
  )
}
