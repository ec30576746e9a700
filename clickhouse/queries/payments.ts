import { z } from 'zod'
import { outcomeSources } from '../../domain/outcome-sources.ts'
import { outcomesInForce } from '../attribution/outcomes-in-force.ts'
import { nobody } from '../nobody.ts'
import { query } from '../query.ts'

const row = z.object({
  payment_id: z.uuid(),
  occurred_at: z.string(),
  /** False only for the last candidate of a scan, which is told so that the next scan goes on behind it. */
  is_match: z.boolean(),
  is_last: z.boolean(),
  source: z.enum(outcomeSources).or(z.literal('')),
  provider: z.string(),
  external_id: z.string(),
  amount_minor: z.coerce.bigint().nullable(),
  currency: z.string(),
  refunded_minor: z.coerce.bigint(),
  /** Whose it is by what its sender said; an assigned payer is the merchant's word, kept in Postgres. */
  customer_id: z.uuid().nullable(),
  is_first_payment: z.boolean().nullable(),
})
export type PaymentRow = z.infer<typeof row>

/**
 * Outcomes with money: those of a payment provider, and those that count as a type which a cash definition lists. Zero is no
 * money. Lists and decisions all select here, so that what is no payment to one is none to any.
 */
const payments = (candidates: string, isWanted: string) => `
WITH
  ${nobody} AS nobody,
  candidates AS (${candidates}),
  found AS (
    SELECT * FROM (${outcomesInForce({
      outcomes:
        'profile_id = {profile:UUID} AND outcome_id IN (SELECT outcome_id FROM candidates) AND amount_minor > 0',
      stages: 'profile_id = {profile:UUID}',
      columns: [
        ...['outcome_id', 'conversion_id', 'subject_id', 'source', 'provider', 'external_id', 'occurred_at'],
        ...['amount_minor', 'currency', 'refunded_minor'],
      ],
    })})
    WHERE source = 'payment' OR event_type IN (
      SELECT arrayJoin(event_types) FROM conversion_definitions FINAL
      WHERE profile_id = {profile:UUID} AND revenue_type = 'cash')
  ),
  payers AS (
    SELECT payment_id, payer_subject_id FROM payment_actions FINAL
    WHERE profile_id = {profile:UUID} AND kind = 'payer' AND payment_id IN (SELECT outcome_id FROM found)
      AND payer_subject_id != nobody
  ),
  mapped AS (
    SELECT subject_id, customer_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM found)
  ),
  credited AS (
    SELECT outcome_id, is_first_payment FROM credits FINAL
    WHERE profile_id = {profile:UUID} AND conversion_id IN (SELECT conversion_id FROM found)
  )
SELECT c.outcome_id AS payment_id, c.occurred_at AS occurred_at, toBool(c.is_last) AS is_last,
  toBool(f.outcome_id = c.outcome_id AND f.occurred_at = c.occurred_at AND ${isWanted}) AS is_match,
  toString(f.source) AS source, toString(f.provider) AS provider, f.external_id AS external_id,
  f.amount_minor AS amount_minor, toString(f.currency) AS currency, f.refunded_minor AS refunded_minor,
  nullIf(m.customer_id, nobody) AS customer_id, r.is_first_payment AS is_first_payment
FROM candidates AS c
LEFT JOIN found AS f ON f.outcome_id = c.outcome_id
LEFT JOIN mapped AS m ON m.subject_id = f.subject_id
LEFT JOIN payers AS p ON p.payment_id = f.outcome_id
LEFT JOIN credited AS r ON r.outcome_id = f.outcome_id
WHERE is_match OR is_last
ORDER BY occurred_at DESC, toString(payment_id) DESC`

/**
 * Payments of a time, newest first, found among at most `scan` candidates behind the cursor: a page of a busy profile
 * costs what its candidates cost, however long the time is.
 */
export const scanPayments = query({
  name: 'scan_payments',
  params: z.object({
    profile: z.uuid(),
    from: z.int(),
    to: z.int(),
    before_at: z.int(),
    before_id: z.string(),
    only_unidentified: z.boolean(),
    scan: z.int(),
  }),
  row,
  sql: payments(
    `
    SELECT outcome_id, occurred_at, row_number() OVER (ORDER BY occurred_at, toString(outcome_id)) = 1
      AND count() OVER () = {scan:UInt32} AS is_last
    FROM (
      SELECT DISTINCT outcome_id, occurred_at FROM payment_times
      WHERE profile_id = {profile:UUID}
        AND occurred_at BETWEEN fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND fromUnixTimestamp64Milli({to:Int64}, 'UTC')
        AND occurred_at <= fromUnixTimestamp64Milli({before_at:Int64}, 'UTC')
        AND (occurred_at < fromUnixTimestamp64Milli({before_at:Int64}, 'UTC') OR toString(outcome_id) < {before_id:String})
      ORDER BY occurred_at DESC, toString(outcome_id) DESC
      LIMIT {scan:UInt32}
    )`,
    '(NOT {only_unidentified:Bool} OR (m.customer_id = nobody AND p.payer_subject_id = nobody))',
  ),
})

export const findPayment = query({
  name: 'find_payment',
  params: z.object({ profile: z.uuid(), payment: z.uuid() }),
  row,
  sql: payments(
    `
    SELECT outcome_id, occurred_at, false AS is_last FROM outcomes FINAL
    WHERE profile_id = {profile:UUID} AND outcome_id = {payment:UUID}`,
    'true',
  ),
})
