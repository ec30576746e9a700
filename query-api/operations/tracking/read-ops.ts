import { z } from 'zod'
import { eventRates, lateHours } from '../../../clickhouse/queries/event-rates.ts'
import { tableSizes } from '../../../clickhouse/queries/table-sizes.ts'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { refusalsSince } from '../../../postgres/stores/refusals.ts'
import { operation } from '../../tracking-operation.ts'

const rateHours = 24
const refusalDays = 7

const TrackingOps = z
  .object({
    lag: z
      .array(z.object({ topic: z.string(), messages: z.int(), lag: z.int() }).meta({ id: 'TopicLag' }))
      .nullable()
      .meta({
        description: 'Of the whole deployment: messages not processed yet. Null while the brokers do not answer.',
      }),
    total_lag: z.int().nullable(),
    rates: z
      .array(z.object({ hour: z.iso.datetime(), source: z.string(), events: z.int() }).meta({ id: 'EventRate' }))
      .meta({
        description: `What the profile received in each of the last ${rateHours} hours, newest first, of events that happened in the last ${rateHours + lateHours} hours: what came later than that is left out.`,
      }),
    tables: z
      .array(z.object({ name: z.string(), rows: z.int(), bytes: z.int() }).meta({ id: 'TableSize' }))
      .meta({ description: 'The profile’s stored rows, and their share of the bytes on disk.' }),
    rejected: z
      .array(z.object({ source: z.string(), reason: z.string(), count: z.int() }).meta({ id: 'RefusalCount' }))
      .meta({
        description: `What was turned away in the last ${refusalDays} days: by the collector, or from a topic.`,
      }),
  })
  .meta({ id: 'TrackingOps' })

export const readOps = operation({
  id: 'readTrackingOps',
  method: 'GET',
  url: '/tracking/ops',
  summary: 'Read diagnostics of the warehouse',
  tags: ['Tracking'],
  scopes: ['analytics:read'],
  response: one(TrackingOps),
  handler: async ({ profile, postgres, clickhouse, lag }) => {
    const [topics, rates, tables, rejected] = await Promise.all([
      lag(),
      clickhouse.run(eventRates, { profile: profile.id, hours: rateHours }),
      clickhouse.run(tableSizes, { profile: profile.id }),
      asProfile(postgres, profile.id, (tx) => refusalsSince(tx, profile.id, refusalDays)),
    ])
    return {
      lag: topics,
      total_lag: topics?.reduce((total, { lag: behind }) => total + behind, 0) ?? null,
      rates: rates.map(({ hour, source, events }) => ({ hour: new Date(hour).toISOString(), source, events })),
      tables,
      rejected,
    }
  },
})
