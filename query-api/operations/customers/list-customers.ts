import { z } from 'zod'
import { listedConversions } from '../../../clickhouse/queries/listed-conversions.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { parseSearchTerm } from '../../../domain/search-term.ts'
import { ApiError, DateRange, limit, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findCustomerProfiles, fullName } from '../../../postgres/stores/customer-profiles.ts'
import { goalKeys } from '../../../postgres/stores/goal-keys.ts'
import { operation } from '../../operation.ts'
import { findConversions, type Place } from './find-conversions.ts'

const CustomerRow = z
  .object({
    conversion_id: z.uuid(),
    customer_profile_id: z.uuid().meta({ description: 'Customer, or anonymous visitor; the journey takes it.' }),
    name: z.string().nullable().meta({ description: 'Null for anonymous visitors and erased customers.' }),
    email: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'ISO code of the converting session; null when unknown.' }),
    device: z.enum(['desktop', 'mobile', 'tablet']).nullable(),
    channel: z.string().nullable().meta({ description: 'Of the last touch in the window; null without one.' }),
    source: z.string().nullable().meta({ description: 'Traffic source of that touch.' }),
    revenue: z.number().meta({ description: 'Value less refunds in the reporting currency; 0 when it has none.' }),
    revenue_type: z.enum(['cash', 'pipeline', 'messaging', 'gross']),
    conversion_time: z.iso.datetime(),
    time_to_complete_seconds: z
      .number()
      .nullable()
      .meta({ description: 'From the first touch in the window to the conversion; null without one.' }),
    touch_count: z.int().meta({ description: 'Touches in the window, direct ones left out.' }),
    touch_channels: z
      .array(z.string())
      .meta({ description: 'Distinct channels of all touches in the window, in order.' }),
    conversion_count: z.int().meta({ description: 'Conversions of the customer in all, of every goal.' }),
    total_revenue: z.number().meta({ description: 'Cash of the customer in all, less refunds.' }),
  })
  .meta({ id: 'CustomerRow' })

const Query = DateRange.safeExtend({
  goal: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'Key of a conversion definition.', examples: ['payment_received'] }),
  search: z.string().max(200).optional().meta({ description: 'A part of the name or e-mail.' }),
  limit: limit({ default: 10, max: 100 }),
  cursor_time: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'What stands before the | of the previous cursor; sent together with cursor_id.' }),
  cursor_id: z.uuid().optional().meta({ description: 'What stands behind the | of the previous cursor.' }),
}).superRefine(({ cursor_time, cursor_id }, context) => {
  if ((cursor_time === undefined) === (cursor_id === undefined)) return
  const missing = cursor_time === undefined ? 'cursor_time' : 'cursor_id'
  context.addIssue({ code: 'custom', path: [missing], message: 'is the other half of the cursor: send both or none' })
})

export const listCustomers = operation({
  id: 'listCustomers',
  method: 'GET',
  url: '/customers',
  summary: 'List the customers who reached a goal',
  description:
    'One row a conversion, newest first. While `has_next` is true, split `cursor` at the | and send both halves. ' +
    'Rows that arrive meanwhile neither repeat nor hide others.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  readsPersons: true,
  query: Query,
  response: page(CustomerRow, { meta: { date_from: z.string(), date_to: z.string() } }),
  handler: async ({ query, profile, clickhouse, postgres, persons }) => {
    const { goal, date_from, date_to, limit } = query
    const wanted = { profile: profile.id, goal, from: date_from, to: date_to, limit: limit + 1, ...placeOf(query) }
    const term = parseSearchTerm(query.search ?? '')
    const [goals, listed] = await Promise.all([
      asProfile(postgres, profile.id, (tx) => goalKeys(tx, profile.id)),
      findConversions({ postgres, clickhouse }, wanted, term),
    ])
    if (!goals.includes(goal)) {
      throw new ApiError('invalid_parameter', `goal: this profile knows ${goals.join(', ') || 'no goal'}.`, { goals })
    }
    const shown = listed.slice(0, limit)
    const customers = [...new Set(shown.map((row) => row.customer_id))]
    const conversions = shown.map((row) => row.conversion_id)
    const [credited, people] = await Promise.all([
      shown.length === 0 ? [] : clickhouse.run(listedConversions, { profile: profile.id, conversions, customers }),
      asProfile(postgres, profile.id, (tx) => findCustomerProfiles(tx, profile.id, customers)),
    ])
    const detailOf = new Map(credited.flatMap(({ listed }) => listed).map((row) => [row.conversion_id, row]))
    const totalOf = new Map(credited.map((row) => [row.customer_id, row]))
    const money = (minor: bigint | null | undefined) => fromMinorAsNumber(minor ?? 0n, profile.reportingCurrency)
    const data = shown.flatMap(({ conversion_id, customer_id, newest_first }) => {
      const detail = detailOf.get(conversion_id)
      // It has moved since the list was read: it stands at its new place.
      const time = detail && Date.parse(detail.occurred_at)
      if (!detail || time !== -newest_first || detail.conversion_type !== goal) return []
      const person = people.get(customer_id)
      const total = totalOf.get(customer_id)
      return {
        conversion_id,
        customer_profile_id: customer_id,
        name: person ? fullName(person) : null,
        email: person?.email ?? null,
        country: detail.country,
        device: deviceOf(detail.device),
        channel: detail.channel,
        source: detail.source,
        revenue: money(detail.net_minor),
        revenue_type: detail.revenue_type as z.infer<typeof CustomerRow>['revenue_type'],
        conversion_time: detail.occurred_at,
        time_to_complete_seconds:
          detail.first_touch_at === null ? null : (time - Date.parse(detail.first_touch_at)) / 1000,
        touch_count: detail.touch_count,
        touch_channels: detail.touch_channels,
        conversion_count: total?.conversion_count ?? 0,
        total_revenue: money(total?.cash_minor),
      }
    })
    persons(new Set(data.map((row) => row.customer_profile_id)).size)
    const last = listed.length > limit ? shown.at(-1) : undefined
    const cursor = last ? `${new Date(-last.newest_first).toISOString()}|${last.conversion_id}` : null
    return { data, pagination: { has_next: cursor !== null, cursor }, meta: { date_from, date_to } }
  },
})

const devices = ['desktop', 'mobile', 'tablet'] as const
const deviceOf = (device: string | null) => devices.find((known) => known === device) ?? null

const beforeAll = { after: Number.MIN_SAFE_INTEGER, after_id: '' }

function placeOf({ cursor_time, cursor_id }: z.output<typeof Query>): Place {
  if (cursor_time === undefined || cursor_id === undefined) return beforeAll
  return { after: -Date.parse(cursor_time), after_id: cursor_id.toLowerCase() }
}
