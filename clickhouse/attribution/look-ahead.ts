import { z } from 'zod'
import { query } from '../query.ts'
import { countUnfinished } from './publishing.ts'

const params = z.object({ run: z.uuid() })

const heldBySubjects = (table: string) => `(
    SELECT count() FROM ${table}
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE run_id = {run:UUID}))`

/**
 * Whether anybody of a run ever had an outcome, and one that names its ad: most have none, and nothing to credit. And
 * whether an earlier run of their profiles is still to be published.
 */
export const lookAhead = query({
  name: 'look_ahead',
  params,
  row: z.object({ held: z.coerce.number(), named: z.coerce.number(), unfinished: z.coerce.number() }),
  sql: `
SELECT ${heldBySubjects('subject_outcomes')} AS held, ${heldBySubjects('named_outcomes')} AS named,
  ${countUnfinished} AS unfinished`,
})

/** Whose credit a run found changed: where nobody's did there is nothing to publish. */
export const changedProfiles = query({
  name: 'changed_profiles',
  params,
  row: z.object({ profiles: z.array(z.uuid()) }),
  sql: 'SELECT groupUniqArray(profile_id) AS profiles FROM recompute_credits WHERE run_id = {run:UUID}',
})
