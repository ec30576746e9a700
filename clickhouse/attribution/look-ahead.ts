import { z } from 'zod'
import { query } from '../query.ts'

const params = z.object({ run: z.uuid() })

const heldBySubjects = (table: string) => `(
    SELECT count() FROM ${table}
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE run_id = {run:UUID}))`

/** Whether anybody of a run ever had an outcome, and one that names its ad: most have none, and nothing to credit. */
export const heldOutcomes = query({
  name: 'held_outcomes',
  params,
  row: z.object({ held: z.coerce.number(), named: z.coerce.number() }),
  sql: `SELECT ${heldBySubjects('subject_outcomes')} AS held, ${heldBySubjects('named_outcomes')} AS named`,
})

/** How much credit a run found changed: where none did there is nothing to publish. */
export const changedCredit = query({
  name: 'changed_credit',
  params,
  row: z.object({ changed: z.coerce.number() }),
  sql: 'SELECT count() AS changed FROM recompute_credits WHERE run_id = {run:UUID}',
})
