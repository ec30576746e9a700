import { z } from 'zod'
import { query } from '../query.ts'

/**
 * What the map says of the subjects that `recompute_dirty` holds for the run, where the way back from the customer is
 * there too: a change that was published while the generations changed may have left its two rows in different ones.
 */
export const knownCustomers = query({
  name: 'replay_known_customers',
  params: z.object({ run: z.uuid() }),
  row: z.object({ subject_id: z.uuid(), customer_id: z.uuid() }),
  sql: `
WITH known AS (
  SELECT profile_id, customer_id, subject_id FROM identity_map FINAL
  WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_dirty WHERE run_id = {run:UUID})
)
SELECT subject_id, customer_id FROM known
WHERE (profile_id, customer_id, subject_id) IN (
  SELECT profile_id, customer_id, subject_id FROM customer_subjects
  WHERE (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM known))`,
})
