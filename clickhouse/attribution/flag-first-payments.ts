import { z } from 'zod'
import { statement } from '../query.ts'

/**
 * First payments, in the words of domain/first-payments.ts. A ref that is the zero id means an untagged payment. What
 * carries no money is no payment: it is never the first, and takes nobody's place.
 */
export const flagFirstPayments = statement({
  name: 'flag_first_payments',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO recompute_first_payments (run_id, profile_id, outcome_id, is_first_payment, opens_first_payment)
WITH
  payments AS (
    SELECT profile_id, customer_id, outcome_id, UUIDToNum(outcome_id) AS id, at, subject_ref, is_installment,
      subject_ref = toUUID('00000000-0000-0000-0000-000000000000') AS is_untagged
    FROM recompute_conversions WHERE run_id = {run:UUID} AND revenue_type = 'cash' AND amount_minor > 0
  ),
  -- Places count from 1; 0 where there is no such payment.
  placed AS (
    SELECT *, row_number() OVER (PARTITION BY profile_id, customer_id ORDER BY at, id) AS place,
      row_number() OVER (PARTITION BY profile_id, customer_id, subject_ref ORDER BY at, id) AS place_of_ref
    FROM payments
  ),
  ranked AS (
    SELECT *, minIf(place, is_untagged) OVER of_customer AS first_untagged,
      minIf(place, NOT is_untagged) OVER of_customer AS first_tagged
    FROM placed
    WINDOW of_customer AS (PARTITION BY profile_id, customer_id)
  ),
  opened AS (
    SELECT *, NOT is_installment AND if(is_untagged, place = 1,
      place_of_ref = 1 AND (first_untagged = 0 OR first_untagged > place)) AS opens
    FROM ranked
  ),
  grouped AS (
    SELECT *, maxIf(opens, place_of_ref = 1) OVER of_ref AS is_group, min(at) OVER of_ref AS group_at
    FROM opened
    WINDOW of_ref AS (PARTITION BY profile_id, customer_id, subject_ref)
  )
SELECT {run:UUID}, profile_id, outcome_id,
  NOT is_installment AND (opens OR (is_group AND at - group_at <= 604800000
    AND (NOT is_untagged OR first_tagged = 0 OR first_tagged > place))),
  opens
FROM grouped`,
})
