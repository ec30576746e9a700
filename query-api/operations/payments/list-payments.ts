import { z } from 'zod'
import { type PaymentRow, scanPayments } from '../../../clickhouse/queries/payments.ts'
import { dayEnd, dayStart } from '../../../domain/day-bounds.ts'
import { isUuid } from '../../../domain/ids.ts'
import { dayMs, parseTime } from '../../../domain/time.ts'
import { ApiError, failsAs, limit, longestSpanDays, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { operation } from '../../operation.ts'
import { applyActions, mayReadPayers, Payment, paymentMeta } from './payment.ts'

const Moment = (side: 'first' | 'last') =>
  failsAs(
    'range_invalid',
    z
      .string({ error: 'is required: a day or an ISO 8601 time' })
      .max(40)
      .refine((text) => parseTime(text) !== undefined, { error: 'must be a day or an ISO 8601 time' })
      .meta({
        description: `The ${side} moment; a day (YYYY-MM-DD) is the whole day in the profile's time zone.`,
        examples: [side === 'first' ? '2026-03-01' : '2026-03-31'],
      }),
  )

/** Candidates a round, growing; a page that is still short then ends early and says that more may follow. */
const scans = [1_000, 5_000, 20_000, 20_000, 20_000]

interface Keyset {
  at: number
  id: string
}

export const listPayments = operation({
  id: 'listPayments',
  method: 'GET',
  url: '/payments',
  summary: 'List payments with the merchant’s actions applied',
  description:
    `Newest first. \`from\` and \`to\` are both required, with at most ${longestSpanDays} days in all. ` +
    '`status=unidentified` keeps the payments of which nobody knows who paid. A page can be shorter than its limit: ' +
    'has_next says whether more follow.',
  tags: ['Payments'],
  scopes: ['commerce:read'],
  readsPersons: true,
  query: z.object({
    status: failsAs(
      'status_invalid',
      z.enum(['all', 'unidentified'], { error: 'must be all or unidentified' }).default('all'),
    ),
    from: Moment('first'),
    to: Moment('last'),
    limit: limit({ default: 50, max: 200 }),
    cursor: z.string().max(200).optional().meta({ description: 'pagination.cursor of the page before.' }),
  }),
  response: page(Payment, { meta: paymentMeta }),
  errors: ['status_invalid', 'range_invalid'],
  handler: async ({ query, profile, credential, clickhouse, postgres, persons }) => {
    const range = rangeOf(query, profile.timezone)
    const isOnlyUnidentified = query.status === 'unidentified'
    const found: PaymentRow[] = []
    let before: Keyset = query.cursor === undefined ? { at: range.to, id: 'g' } : parseCursor(query.cursor)
    let isEnd = false
    for (let round = 0; !isEnd && round < scans.length && found.length <= query.limit; round++) {
      const rows = await clickhouse.run(scanPayments, {
        profile: profile.id,
        ...range,
        before_at: before.at,
        before_id: before.id,
        only_unidentified: isOnlyUnidentified,
        scan: scans[round]!,
      })
      found.push(...rows.filter((row) => row.is_match))
      const last = rows.find((row) => row.is_last)
      if (last) before = keysetOf(last)
      isEnd = last === undefined
    }
    const shown = found.slice(0, query.limit)
    const hasMore = found.length > query.limit
    const payments = await asProfile(postgres, profile.id, (tx) => applyActions(tx, { profile, credential }, shown))
    persons(payments.filter(({ payer }) => payer !== null).length)
    const next = hasMore ? keysetOf(shown.at(-1)!) : before
    return {
      // Somebody assigned a moment ago is known here already, and in the warehouse soon.
      data: isOnlyUnidentified ? payments.filter(({ status }) => status === 'unidentified') : payments,
      pagination:
        hasMore || !isEnd ? { has_next: true, cursor: formatCursor(next) } : { has_next: false, cursor: null },
      meta: { payer_withheld: !mayReadPayers(credential) },
    }
  },
})

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text.trim())

function rangeOf({ from, to }: { from: string; to: string }, timezone: string) {
  const range = {
    from: isDay(from) ? dayStart(from.trim(), timezone) : parseTime(from)!,
    to: isDay(to) ? dayEnd(to.trim(), timezone) : parseTime(to)!,
  }
  if (range.from > range.to) throw new ApiError('range_invalid', 'from: must not be after to')
  // Days are counted by the calendar, both of them included: where clocks change, they are no multiple of 24 hours.
  const days =
    isDay(from) && isDay(to) ? (parseTime(to)! - parseTime(from)!) / dayMs + 1 : (range.to - range.from) / dayMs
  if (days > longestSpanDays) {
    throw new ApiError('range_invalid', `from: and to span more than ${longestSpanDays} days`)
  }
  return range
}

const keysetOf = (row: PaymentRow): Keyset => ({ at: Date.parse(row.occurred_at), id: row.payment_id })

const formatCursor = ({ at, id }: Keyset) => Buffer.from(`${at}/${id}`).toString('base64url')

function parseCursor(cursor: string): Keyset {
  const [at, id, ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split('/')
  if (!at || !/^-?\d{1,15}$/.test(at) || !id || !isUuid(id) || rest.length > 0) {
    throw new ApiError('invalid_parameter', 'cursor: must be the cursor of a page before')
  }
  return { at: Number(at), id: id.toLowerCase() }
}
