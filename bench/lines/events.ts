import { randomUUID } from 'node:crypto'
import { type Line, type Pair, ratioAtLeast } from '../line.ts'
import { connectionCounts, load, warmUp } from '../load.ts'
import { openProfile } from '../profile.ts'

const eventsPerBatch = 100

/** Outcome events a second that `POST /api/v1/events` accepts, each acknowledged by Kafka before its 202. */
export const events: Line = {
  name: 'events',
  figures: [
    ...connectionCounts.map((count) => ({
      name: `single events, ${count.toLocaleString('en-US')} connections`,
      unit: 'events/s',
      beside: 'bare Fastify route',
      target: ratioAtLeast(0.4),
    })),
    {
      name: `batches of ${eventsPerBatch}, 16 connections`,
      unit: 'events/s',
      beside: 'single events of the same round',
      target: ratioAtLeast(2),
    },
  ],
  async open(stage) {
    const { apiKey } = await openProfile(stage)
    const api = await stage.service('api')
    const route = stage.program('bare-route.ts', {})
    const { port } = await route.next<{ port: number }>()
    const seconds = stage.isQuick ? 3 : 5
    const headers = { authorization: `Bearer ${apiKey}` }
    const ours = `${stage.config.baseUrl}/api/v1/events`
    const theirs = `http://127.0.0.1:${port}/collect`
    const singles = Array.from({ length: 512 }, () => JSON.stringify(event()))
    const batches = Array.from({ length: 16 }, () =>
      JSON.stringify({ events: Array.from({ length: eventsPerBatch }, event) }),
    )
    await warmUp(stage, [
      { url: theirs, bodies: singles },
      { url: ours, headers, bodies: singles },
    ])
    return {
      async measure() {
        const rates: Pair[] = []
        for (const count of connectionCounts) {
          const limit = await load(stage, { url: theirs, bodies: singles, connections: count, seconds })
          const value = await load(stage, { url: ours, headers, bodies: singles, connections: count, seconds })
          rates.push({ value: value.requestsPerSecond, limit: limit.requestsPerSecond })
        }
        const many = await load(stage, { url: `${ours}/batch`, headers, bodies: batches, connections: 16, seconds })
        return [...rates, { value: many.requestsPerSecond * eventsPerBatch, limit: rates.at(-1)!.value }]
      },
      async close() {
        await route.stop()
        await api.stop()
      },
    }
  },
}

/** About 300 bytes: a sale to a customer of the caller's own numbering. */
function event() {
  return {
    event_type: 'payment_received',
    idempotency_key: randomUUID(),
    occurred_at: new Date().toISOString(),
    properties: { value: 129.9, currency: 'USD' },
    user_traits: { external_id: randomUUID(), country: 'CL' },
    action_source: 'physical_store',
  }
}
