import { z } from 'zod'
import { query, statement } from '../query.ts'

/** How many subjects of each profile ever held an outcome: only their credit can change. */
export const countSubjects = query({
  name: 'count_outcome_subjects',
  params: z.object({ profiles: z.array(z.uuid()).max(100) }),
  row: z.object({ profile_id: z.uuid(), subjects: z.coerce.number() }),
  sql: `
SELECT profile_id, uniq(subject_id) AS subjects FROM subject_outcomes
WHERE profile_id IN {profiles:Array(UUID)}
GROUP BY profile_id`,
})

/** Whole profiles, or one slice of them, as dirty subjects of a run. */
export const dirtyProfiles = statement({
  name: 'dirty_profiles',
  params: z.object({
    run: z.uuid(),
    profiles: z.array(z.uuid()).max(100),
    versions: z.array(z.string()).max(100),
    slice: z.int(),
    slices: z.int(),
  }),
  sql: `
INSERT INTO recompute_dirty (run_id, profile_id, subject_id, version)
SELECT DISTINCT {run:UUID}, profile_id, subject_id,
  toUInt128({versions:Array(String)}[indexOf({profiles:Array(UUID)}, profile_id)])
FROM subject_outcomes
WHERE profile_id IN {profiles:Array(UUID)} AND cityHash64(subject_id) % {slices:UInt32} = {slice:UInt32}`,
})
