import { z } from 'zod'
import { query, statement } from '../query.ts'

/** How many subjects of each profile ever held an outcome, since only their credit can change, and its touches. */
export const countSubjects = query({
  name: 'count_outcome_subjects',
  params: z.object({ profiles: z.array(z.uuid()).max(100) }),
  row: z.object({ profile_id: z.uuid(), subjects: z.coerce.number(), touches: z.coerce.number() }),
  sql: `
SELECT o.profile_id AS profile_id, o.subjects AS subjects, t.touches AS touches
FROM (
  SELECT profile_id, uniq(subject_id) AS subjects FROM subject_outcomes
  WHERE profile_id IN {profiles:Array(UUID)} GROUP BY profile_id
) AS o
LEFT JOIN (
  SELECT profile_id, count() AS touches FROM touches WHERE profile_id IN {profiles:Array(UUID)} GROUP BY profile_id
) AS t ON t.profile_id = o.profile_id`,
})

/** Whole profiles, or one of several shares of them, as dirty subjects of a run. */
export const dirtyProfiles = statement({
  name: 'dirty_profiles',
  params: z.object({
    run: z.uuid(),
    profiles: z.array(z.uuid()).max(100),
    versions: z.array(z.string()).max(100),
    share: z.int(),
    shares: z.int(),
  }),
  sql: `
INSERT INTO recompute_dirty (run_id, profile_id, subject_id, version)
SELECT DISTINCT {run:UUID}, o.profile_id, o.subject_id, v.version
FROM subject_outcomes AS o
INNER JOIN (
  SELECT told.1 AS profile_id, toUInt128(told.2) AS version
  FROM (SELECT arrayJoin(arrayZip({profiles:Array(UUID)}, {versions:Array(String)})) AS told)
) AS v ON v.profile_id = o.profile_id
WHERE o.profile_id IN {profiles:Array(UUID)} AND cityHash64(o.subject_id) % {shares:UInt32} = {share:UInt32}`,
})
