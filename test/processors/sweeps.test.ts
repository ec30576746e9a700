import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runSweeps } from '../../processors/sweeps.ts'
import { type FreshDatabase, freshDatabase } from '../fresh-database.ts'
import { createProfile, serverUrl } from '../profiles.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
})
afterAll(() => database.drop())

it('deletes what is old enough, in small steps, and nothing else', async () => {
  const { pool } = database
  const profileId = await createProfile(pool)
  for (let n = 0; n < 25; n++) {
    await pool.query(
      `INSERT INTO idempotency_keys (id, profile_id, operation, request_hash, attempt, leased_until, expires_at)
       VALUES ($1, $2, 'op', $1, $3, now(), now() + $4 * interval '1 second')`,
      [randomBytes(32), profileId, randomUUID(), n < 20 ? -1 : 60],
    )
    await pool.query(
      `INSERT INTO pii_access_log (occurred_at, workspace_id, profile_id, credential_kind, credential_id, operation,
         method, route, status, result, person_count)
       SELECT now() - $2 * interval '1 hour', workspace_id, id, 'api_key', 'k', 'op', 'GET', '/x', 200, 'read', 1
       FROM profiles WHERE id = $1`,
      [profileId, n < 20 ? 365 * 24 + 1 : 365 * 24 - 1],
    )
  }
  const count = async (table: string) => (await pool.query(`SELECT 1 FROM ${table}`)).rowCount
  const sweeps = [runSweeps({ postgres: pool, batchSize: 3 }), runSweeps({ postgres: pool, batchSize: 3 })]
  await expect.poll(() => count('idempotency_keys')).toBe(5)
  await expect.poll(() => count('pii_access_log')).toBe(5)
  await Promise.all(sweeps.map((sweep) => sweep.stop()))
})
