import { z } from 'zod'
import { query } from '../query.ts'

/** Of these subjects those that a hit or an outcome was ever stored for; the others have nothing to be derived from. */
export const subjectsWithFacts = query({
  name: 'subjects_with_facts',
  params: z.object({ profiles: z.array(z.uuid()), subjects: z.array(z.uuid()).max(20_000) }),
  row: z.object({ profile_id: z.uuid(), subject_id: z.uuid() }),
  sql: `
SELECT DISTINCT profile_id, subject_id
FROM (
  SELECT profile_id, subject_id FROM hits
  WHERE profile_id IN {profiles:Array(UUID)} AND subject_id IN {subjects:Array(UUID)}
  UNION ALL
  SELECT profile_id, subject_id FROM subject_outcomes
  WHERE profile_id IN {profiles:Array(UUID)} AND subject_id IN {subjects:Array(UUID)}
)`,
})
