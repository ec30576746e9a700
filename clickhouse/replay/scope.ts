import { z } from 'zod'
import { query, statement } from '../query.ts'

/** What a replay derives again: everything, or one profile. */
export type Scope = 'everything' | 'profile'

/** The profile is bound in both; `everything` does not look at it. */
export const scopeParams = z.object({ profile: z.uuid() })
export const inScope = (scope: Scope) => (scope === 'profile' ? 'profile_id = {profile:UUID}' : '1')

const subjects = (scope: Scope) => `
  SELECT profile_id, subject_id FROM hits WHERE ${inScope(scope)}
  UNION DISTINCT
  SELECT profile_id, subject_id FROM subject_outcomes WHERE ${inScope(scope)}`

/** Everybody who left a hit or an outcome, and how many hits there are. */
export const countScope = (scope: Scope) =>
  query({
    name: `replay_count_${scope}`,
    params: scopeParams,
    row: z.object({ subjects: z.coerce.number(), hits: z.coerce.number() }),
    sql: `
SELECT uniq(profile_id, subject_id) AS subjects, (SELECT count() FROM hits WHERE ${inScope(scope)}) AS hits
FROM (${subjects(scope)})`,
  })

/** A share of them as dirty subjects of a run, cut by customer: each customer is derived once, and whole. */
export const dirtyScope = (scope: Scope) =>
  statement({
    name: `replay_dirty_${scope}`,
    params: scopeParams.extend({ run: z.uuid(), version: z.string(), share: z.int(), shares: z.int() }),
    sql: `
INSERT INTO recompute_dirty (run_id, profile_id, subject_id, version)
SELECT {run:UUID}, profile_id, subject_id, toUInt128({version:String})
FROM (${subjects(scope)})
WHERE (profile_id, subject_id) IN (
    SELECT profile_id, subject_id FROM identity_map FINAL
    WHERE ${inScope(scope)} AND cityHash64(customer_id) % {shares:UInt32} = {share:UInt32})
  OR (cityHash64(subject_id) % {shares:UInt32} = {share:UInt32} AND (profile_id, subject_id) NOT IN (
    SELECT profile_id, subject_id FROM identity_map FINAL
    WHERE ${inScope(scope)} AND cityHash64(subject_id) % {shares:UInt32} = {share:UInt32}))`,
  })

/** The highest version of anything derived. */
export const newestDerived = (scope: Scope) =>
  query({
    name: `replay_newest_${scope}`,
    params: scopeParams,
    row: z.object({ version: z.coerce.bigint() }),
    sql: `
SELECT toString(max(version)) AS version FROM (
  ${derivedTables.map((table) => `SELECT max(version) AS version FROM ${table} WHERE ${inScope(scope)}`).join(' UNION ALL ')})`,
  })

/** Tables whose rows are derived, carry the version of their recompute and can be replaced by a tombstone. */
export const derivedTables = ['touches', 'credits', 'report_credits', 'goal_conversions'] as const
