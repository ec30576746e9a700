import { z } from 'zod'
import { query, statement } from '../query.ts'

/** Subjects of a profile whose credit can change at all: those that ever held an outcome. */
export const countSubjects = query({
  name: 'count_outcome_subjects',
  params: z.object({ profile: z.uuid() }),
  row: z.object({ subjects: z.coerce.number() }),
  sql: `SELECT uniq(subject_id) AS subjects FROM subject_outcomes WHERE profile_id = {profile:UUID}`,
})

/** One slice of a whole profile as dirty subjects of a run. */
export const dirtySlice = statement({
  name: 'dirty_slice',
  params: z.object({
    run: z.uuid(),
    profile: z.uuid(),
    version: z.string(),
    slice: z.int(),
    slices: z.int(),
  }),
  sql: `
INSERT INTO recompute_dirty (run_id, profile_id, subject_id, version)
SELECT DISTINCT {run:UUID}, profile_id, subject_id, toUInt128({version:String})
FROM subject_outcomes
WHERE profile_id = {profile:UUID} AND cityHash64(subject_id) % {slices:UInt32} = {slice:UInt32}`,
})
