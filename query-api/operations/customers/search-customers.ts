import type pg from 'pg'
import { z } from 'zod'
import { customerTotals } from '../../../clickhouse/queries/customer-totals.ts'
import { fromMinor } from '../../../domain/money.ts'
import { parseSearchTerm } from '../../../domain/search-term.ts'
import { limit, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import {
  findCustomerProfiles,
  resolveCustomer,
  subjectsOfCustomers,
} from '../../../postgres/stores/customer-profiles.ts'
import { pickCustomers } from '../../../postgres/stores/customer-search.ts'
import { operation } from '../../operation.ts'
import { readSightings } from './read-sightings.ts'

const CustomerCandidate = z
  .object({
    customer_profile_id: z.uuid(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    primary_email: z.string().nullable().meta({ description: 'The one that was known first.' }),
    primary_phone: z.string().nullable().meta({ description: 'E.164; the one that was known first.' }),
    first_seen_at: z.iso.datetime().nullable(),
    last_seen_at: z.iso.datetime().nullable(),
    conversion_count: z.int(),
    cash_revenue: z
      .string()
      .meta({ description: 'Exact decimal in the reporting currency, less refunds.', examples: ['1250.00'] }),
    sources: z
      .array(z.string())
      .meta({ description: 'Who told of the customer: tracker, server, or a CRM or payment provider by its name.' }),
  })
  .meta({ id: 'CustomerCandidate' })

const shortest = 2

export const searchCustomers = operation({
  id: 'searchCustomers',
  method: 'GET',
  url: '/customers/search',
  summary: 'Find customers by name, e-mail or phone',
  description:
    'For a picker: parts of words are enough, a phone may be written in any way, and where few match exactly those ' +
    'who nearly do follow. Best first. Under 2 characters the list is empty.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  readsPersons: true,
  query: z.object({
    q: z
      .string()
      .max(200)
      .meta({ description: 'What was typed.', examples: ['ana pe', '9 1234'] }),
    exclude: z.uuid().optional().meta({ description: 'A customer to leave out.' }),
    limit: limit({ default: 20, max: 50 }),
  }),
  response: page(CustomerCandidate),
  handler: async ({ query, profile, clickhouse, postgres }) => {
    const term = parseSearchTerm(query.q)
    if (!term || [...term.text].length < shortest) return []
    const inProfile = <T>(work: (tx: pg.PoolClient) => Promise<T>) => asProfile(postgres, profile.id, work)
    const { exclude } = query
    const left = exclude ? await inProfile((tx) => resolveCustomer(tx, profile.id, exclude)) : null
    const customers = await pickCustomers(postgres, profile.id, term, {
      most: query.limit,
      exclude: left?.customerId ?? null,
    })
    if (customers.length === 0) return []
    const [totals, people, sightingOf] = await Promise.all([
      clickhouse.run(customerTotals, { profile: profile.id, customers }),
      inProfile((tx) => findCustomerProfiles(tx, profile.id, customers)),
      inProfile((tx) => subjectsOfCustomers(tx, profile.id, customers)).then((subjects) =>
        readSightings(clickhouse, profile.id, subjects),
      ),
    ])
    const totalOf = new Map(totals.map((row) => [row.customer_id, row]))
    return customers.flatMap((id) => {
      const person = people.get(id)
      if (!person) return []
      const seen = sightingOf.get(id)
      const known = person.firstSeenAt?.toISOString()
      return {
        customer_profile_id: id,
        first_name: person.firstName,
        last_name: person.lastName,
        primary_email: person.email,
        primary_phone: person.phone,
        first_seen_at: earliest(known, seen?.firstSeenAt),
        last_seen_at: latest(known, seen?.lastSeenAt),
        conversion_count: totalOf.get(id)?.conversion_count ?? 0,
        cash_revenue: fromMinor(totalOf.get(id)?.cash_minor ?? 0n, profile.reportingCurrency),
        sources: [...(seen?.sources ?? [])].sort(),
      }
    })
  },
})

const sorted = (...times: (string | undefined)[]) => times.filter((time) => time !== undefined).sort()
const earliest = (...times: (string | undefined)[]) => sorted(...times)[0] ?? null
const latest = (...times: (string | undefined)[]) => sorted(...times).at(-1) ?? null
