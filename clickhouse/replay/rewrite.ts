import { z } from 'zod'
import { statement } from '../query.ts'
import { derivedTables, inScope, type Scope, scopeParams } from './scope.ts'

/**
 * A recompute writes only what differs from what stands there. For a rewrite in place nothing may pass as equal, so
 * what stands is written once more under a hash that no content has; its figures stay as they are until then.
 */
export const forgetContent = (scope: Scope) =>
  (['touches', 'credits'] as const).map((table) =>
    statement({
      name: `replay_forget_${table}_${scope}`,
      params: scopeParams.extend({ version: z.string() }),
      sql: `
INSERT INTO ${table}
SELECT * REPLACE (bitXor(content_hash, 1) AS content_hash, toUInt128({version:String}) AS version)
FROM ${table} FINAL WHERE ${inScope(scope)}`,
    }),
  )

/** After a rewrite whatever still has an older version is derived from nothing: it gets a tombstone. */
export const sweepLeftovers = (scope: Scope) =>
  derivedTables.map((table) =>
    statement({
      name: `replay_sweep_${table}_${scope}`,
      params: scopeParams.extend({ version: z.string() }),
      sql: `
INSERT INTO ${table}
SELECT * REPLACE (toUInt128({version:String}) AS version, 1 AS is_deleted)
FROM (
  -- Apart: beside the REPLACE the condition would see the new version.
  SELECT * FROM ${table} FINAL WHERE ${inScope(scope)} AND version < toUInt128({version:String})
)`,
    }),
  )
