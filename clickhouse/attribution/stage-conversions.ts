import { z } from 'zod'
import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'
import { outcomesInForce } from './outcomes-in-force.ts'
import { refundedByHand } from './refunded-by-hand.ts'

/**
 * Outcomes of the run's customers, under their definitions and with the merchant's actions applied. An assigned payer
 * takes the payment over; refunds come off the value at the payment's own rate.
 */
export const stageConversions = statement({
  name: 'stage_conversions',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO recompute_conversions (
  run_id, profile_id, customer_id, conversion_id, outcome_id, conversion_type, revenue_type, is_eligible, at, since, day,
  amount_minor, currency, kept_minor, reporting_currency, subject_ref, is_installment, country, device, version)
WITH
  ${nobody} AS nobody,
  actions AS (
    SELECT profile_id, payment_id, max(is_installment) AS is_installment, max(payer_subject_id) AS payer_subject_id,
      sum(refunded_minor) AS refunded_minor, max(refund_currency) AS refund_currency
    FROM payment_actions FINAL
    WHERE (profile_id, payment_id) IN (
      SELECT profile_id, outcome_id FROM subject_outcomes
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE run_id = {run:UUID}))
    GROUP BY profile_id, payment_id
  ),
  definitions AS (
    SELECT profile_id, event_type, conversion_key, revenue_type, is_attribution_eligible, lookback_window_days
    FROM conversion_definitions FINAL
    ARRAY JOIN event_types AS event_type
    WHERE profile_id IN (SELECT profile_id FROM recompute_subjects WHERE run_id = {run:UUID})
    ORDER BY definition_id
    LIMIT 1 BY profile_id, event_type
  ),
  settings AS (
    SELECT profile_id, reporting_currency, timezone FROM profiles FINAL
    WHERE profile_id IN (SELECT profile_id FROM recompute_subjects WHERE run_id = {run:UUID})
  ),
  recorded AS (
    SELECT o.profile_id AS profile_id, o.outcome_id AS outcome_id, o.conversion_id AS conversion_id,
      if(a.payer_subject_id = nobody, o.subject_id, a.payer_subject_id) AS subject_id,
      o.event_type AS event_type, o.occurred_at AS occurred_at, o.amount_minor AS amount_minor, o.currency AS currency,
      o.amount_minor - least(o.amount_minor, o.refunded_minor + ${refundedByHand('o', 'a')}) AS kept_minor,
      ifNull(o.subject_ref, nobody) AS subject_ref, a.is_installment AS is_installment, o.country AS country,
      o.device AS device
    FROM (${outcomesInForce({
      outcomes: `(profile_id, outcome_id) IN (
        SELECT profile_id, outcome_id FROM subject_outcomes
        WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE run_id = {run:UUID}))`,
      stages: 'profile_id IN (SELECT profile_id FROM recompute_subjects WHERE run_id = {run:UUID})',
      columns: [
        ...['profile_id', 'outcome_id', 'conversion_id', 'subject_id', 'occurred_at', 'amount_minor', 'refunded_minor'],
        ...['currency', 'subject_ref', 'country', 'device'],
      ],
    })}
    ) AS o
    LEFT JOIN actions AS a ON a.profile_id = o.profile_id AND a.payment_id = o.outcome_id
  )
SELECT {run:UUID}, r.profile_id, s.customer_id, r.conversion_id, r.outcome_id, d.conversion_key, d.revenue_type,
  d.is_attribution_eligible,
  toUnixTimestamp64Milli(r.occurred_at) AS at,
  if(d.is_attribution_eligible, at - toInt64(d.lookback_window_days) * 86400000, at + 1),
  toDate(formatDateTime(r.occurred_at, '%F', if(p.timezone = '', 'UTC', p.timezone))),
  r.amount_minor, r.currency, r.kept_minor, p.reporting_currency, r.subject_ref, r.is_installment, r.country, r.device,
  s.version
FROM recorded AS r
INNER JOIN (
  SELECT profile_id, subject_id, customer_id, version FROM recompute_subjects WHERE run_id = {run:UUID}
) AS s ON s.profile_id = r.profile_id AND s.subject_id = r.subject_id
LEFT JOIN settings AS p ON p.profile_id = r.profile_id
LEFT JOIN definitions AS d ON d.profile_id = r.profile_id AND d.event_type = r.event_type`,
})
