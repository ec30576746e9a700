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
SELECT DISTINCT {run:UUID}, o.profile_id, o.subject_id, v.version
FROM subject_outcomes AS o
INNER JOIN (
  SELECT told.1 AS profile_id, toUInt128(told.2) AS version
  FROM (SELECT arrayJoin(arrayZip({profiles:Array(UUID)}, {versions:Array(String)})) AS told)
) AS v ON v.profile_id = o.profile_id
WHERE o.profile_id IN {profiles:Array(UUID)} AND cityHash64(o.subject_id) % {slices:UInt32} = {slice:UInt32}`,
})
