import { z } from 'zod'
import { journey } from '../../../clickhouse/queries/journey.ts'
import { isUuid } from '../../../domain/ids.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { limit, offset, one } from '../../../http/operation.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { operation } from '../../operation.ts'

const JourneyEvent = z
  .object({
    event_type: z.string(),
    event_name: z.string(),
    event_time: z.iso.datetime(),
    url: z.string().nullable(),
    path: z.string().nullable(),
    channel: z.string().nullable(),
    source: z.string().nullable(),
    medium: z.string().nullable(),
    campaign: z.string().nullable(),
    value_amount: z.number().nullable(),
    currency: z.string().nullable(),
    device: z.string().nullable(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    is_synthetic: z.boolean(),
  })
  .meta({ id: 'JourneyEvent' })

export const readJourney = operation({
  id: 'readJourney',
  method: 'GET',
  url: '/customers/:id/journey',
  summary: 'Read a customer’s events in order of time',
  description:
    'The id is a customer’s or an anonymous visitor’s. A merged-away customer leads to its survivor; an id of nobody here answers no events.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  readsPersons: true,
  params: z.object({ id: z.string() }),
  query: z.object({ offset: offset(), limit: limit({ default: 50, max: 100 }) }),
  response: one(z.object({ events: z.array(JourneyEvent), total_count: z.int() }).meta({ id: 'Journey' })),
  handler: async ({ params, query, profile, clickhouse, postgres }) => {
    if (!isUuid(params.id)) return { events: [], total_count: 0 }
    const customer = (await identityStore(postgres).survivor(profile.id, params.id)) ?? params.id
    const read = (page: { limit: number; offset: number }) =>
      clickhouse.run(journey, { profile: profile.id, customer, ...page })
    const rows = await read(query)
    // The count rides on the rows; a page past the end has none.
    const counted = rows[0] ?? (query.offset > 0 ? (await read({ limit: 1, offset: 0 }))[0] : undefined)
    return {
      events: rows.map(({ total_count, amount_minor, ...event }) => ({
        ...event,
        value_amount:
          amount_minor === null || event.currency === null ? null : fromMinorAsNumber(amount_minor, event.currency),
      })),
      total_count: counted?.total_count ?? 0,
    }
  },
})
