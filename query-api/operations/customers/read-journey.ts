import { z } from 'zod'
import { isUuid } from '../../../domain/ids.ts'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { resolveCustomer } from '../../../postgres/stores/customer-profiles.ts'
import { operation } from '../../operation.ts'
import { readEvents } from './journey-reads.ts'
import { JourneyEvent, journeyPaging } from './journey-schemas.ts'

export const readJourney = operation({
  id: 'readJourney',
  method: 'GET',
  url: '/customers/:id/journey',
  summary: 'Read a customer’s events in order of time',
  description:
    'The id is a customer’s or an anonymous visitor’s, as the customer list publishes it. A customer that was merged ' +
    'away leads to its survivor, a visitor who has become somebody to that customer. An id of nobody here, and an ' +
    'erased customer’s, answers no events.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  readsPersons: true,
  params: z.object({ id: z.string() }),
  query: z.object(journeyPaging),
  response: one(z.object({ events: z.array(JourneyEvent), total_count: z.int() }).meta({ id: 'Journey' })),
  handler: async ({ params, query, profile, clickhouse, postgres, persons }) => {
    persons(0)
    const id = params.id.toLowerCase()
    if (!isUuid(id)) return { events: [], total_count: 0 }
    const known = await asProfile(postgres, profile.id, (tx) => resolveCustomer(tx, profile.id, id))
    if (known?.isErased) return { events: [], total_count: 0 }
    const { events, total_count } = await readEvents(clickhouse, {
      profile: profile.id,
      customer: known?.customerId ?? id,
      ...query,
    })
    persons(total_count > 0 ? 1 : 0)
    return { events: events.map(({ event }) => event), total_count }
  },
})
