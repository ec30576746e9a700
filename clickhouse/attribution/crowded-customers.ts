import { z } from 'zod'
import { query } from '../query.ts'

/** Below so many conversions nobody is looked at: a path beside each of them is no burden. */
export const fewConversions = 100

/** Customers of a run with so many touches and conversions that their product is more than a statement should go through. */
export const crowdedCustomers = query({
  name: 'crowded_customers',
  params: z.object({ run: z.uuid(), mostPairs: z.int() }),
  row: z.object({ customers: z.array(z.uuid()) }),
  sql: `
WITH many AS (
  SELECT profile_id, customer_id, count() AS conversions FROM recompute_valued WHERE run_id = {run:UUID}
  GROUP BY profile_id, customer_id HAVING conversions > ${fewConversions}
)
SELECT groupArray(2000)(c.customer_id) AS customers
FROM many AS c
INNER JOIN (
  SELECT s.profile_id AS profile_id, s.customer_id AS customer_id, count() AS touches
  FROM (
    SELECT profile_id, subject_id FROM touches
    WHERE (profile_id, subject_id) IN (
      SELECT profile_id, subject_id FROM recompute_subjects
      WHERE run_id = {run:UUID} AND (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM many))
  ) AS t
  INNER JOIN (
    SELECT profile_id, subject_id, customer_id FROM recompute_subjects WHERE run_id = {run:UUID}
  ) AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
  GROUP BY s.profile_id, s.customer_id
) AS n ON n.profile_id = c.profile_id AND n.customer_id = c.customer_id
WHERE c.conversions * n.touches > {mostPairs:UInt64}`,
})
