import { z } from 'zod'
import { query } from '../query.ts'

/** What the map says of the subjects that `recompute_dirty` holds for the run. */
export const knownCustomers = query({
  name: 'replay_known_customers',
  params: z.object({ run: z.uuid() }),
  row: z.object({ subject_id: z.uuid(), customer_id: z.uuid() }),
  sql: `
SELECT subject_id, customer_id FROM identity_map FINAL
WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_dirty WHERE run_id = {run:UUID})`,
})
