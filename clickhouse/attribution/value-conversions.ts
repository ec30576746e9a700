import { z } from 'zod'
import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'
import { atRate, isRated } from '../rates.ts'

/**
 * First payments, in the words of domain/first-payments.ts, the value in the reporting currency, and the credit that
 * stands. A ref that is the zero id means an untagged payment. What carries no money is no payment: it is never the
 * first, and takes nobody's place.
 */
export const valueConversions = statement({
  name: 'value_conversions',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO recompute_valued (
  run_id, profile_id, customer_id, conversion_id, at, since, facts, standing_hash, version)
WITH
  payments AS (
    SELECT profile_id, customer_id, outcome_id, at, (at, UUIDToNum(outcome_id)) AS place, subject_ref, is_installment,
      subject_ref = ${nobody} AS is_untagged
    FROM recompute_conversions WHERE run_id = {run:UUID} AND revenue_type = 'cash' AND amount_minor > 0
  ),
  -- A place is a time and an id; (0, 0) where there is no such payment.
  placed AS (
    SELECT *, min(place) OVER of_customer AS first,
      minIf(place, is_untagged) OVER of_customer AS first_untagged, minIf(place, NOT is_untagged) OVER of_customer AS first_tagged,
      min(place) OVER of_ref AS head, argMin(is_installment, place) OVER of_ref AS is_head_installment
    FROM payments
    WINDOW of_customer AS (PARTITION BY profile_id, customer_id),
      of_ref AS (PARTITION BY profile_id, customer_id, subject_ref)
  ),
  flags AS (
    SELECT profile_id, outcome_id,
      -- Whether the first payment of the ref opens its group.
      NOT is_head_installment AND if(is_untagged, head = first, first_untagged.1 = 0 OR first_untagged > head) AS is_group,
      is_group AND place = head AS opens,
      NOT is_installment AND (opens OR (is_group AND at - head.1 <= 604800000
        AND (NOT is_untagged OR first_tagged.1 = 0 OR first_tagged > place))) AS is_first
    FROM placed
  ),
  rates AS (
    SELECT base, quote, date, minor_rate FROM fx_rates FINAL
    WHERE (base, quote) IN (
      SELECT currency, reporting_currency FROM recompute_conversions
      WHERE run_id = {run:UUID} AND currency != reporting_currency)
  ),
  standing AS (
    SELECT profile_id, conversion_id, content_hash FROM credits FINAL
    WHERE (profile_id, conversion_id) IN (
      SELECT profile_id, conversion_id FROM recompute_conversions WHERE run_id = {run:UUID})
  )
SELECT {run:UUID}, c.profile_id, c.customer_id, c.conversion_id, c.at, c.since,
  (c.outcome_id, c.conversion_type, c.revenue_type, c.is_eligible, c.day, c.amount_minor, c.currency,
    -- The rate of the day, or the newest of the seven days before; without one the amount stays out of money sums.
    multiIf(
      c.currency = c.reporting_currency, c.kept_minor,
      ${isRated('c.day', 'x')},
        ${atRate('c.kept_minor', 'x')},
      NULL),
    if(c.revenue_type = 'cash' AND c.amount_minor > 0, f.is_first, NULL), f.opens, c.country, c.device),
  s.content_hash, c.version
FROM (SELECT * FROM recompute_conversions WHERE run_id = {run:UUID}) AS c
ASOF LEFT JOIN rates AS x ON x.base = c.currency AND x.quote = c.reporting_currency AND c.day >= x.date
LEFT JOIN flags AS f ON f.profile_id = c.profile_id AND f.outcome_id = c.outcome_id
LEFT JOIN standing AS s ON s.profile_id = c.profile_id AND s.conversion_id = c.conversion_id`,
})
