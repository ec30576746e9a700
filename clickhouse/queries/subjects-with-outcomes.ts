import { z } from 'zod'
import { mostIds, query } from '../query.ts'

/** Of these subjects those that ever held an outcome. */
export const subjectsWithOutcomes = query({
  name: 'subjects_with_outcomes',
  params: z.object({ profiles: z.array(z.uuid()), subjects: z.array(z.uuid()).max(mostIds) }),
  row: z.object({ profile_id: z.uuid(), subject_id: z.uuid() }),
  sql: `
SELECT DISTINCT profile_id, subject_id FROM subject_outcomes
WHERE profile_id IN {profiles:Array(UUID)} AND subject_id IN {subjects:Array(UUID)}`,
})
