import { z } from 'zod'
import { query } from '../query.ts'

/** Every subject that these outcomes ever had. */
export const outcomeSubjects = query({
  name: 'outcome_subjects',
  params: z.object({ outcomes: z.array(z.uuid()).max(100) }),
  row: z.object({ profile_id: z.uuid(), subject_id: z.uuid() }),
  sql: `
SELECT DISTINCT profile_id, subject_id FROM outcome_subjects
WHERE outcome_id IN {outcomes:Array(UUID)}`,
})
