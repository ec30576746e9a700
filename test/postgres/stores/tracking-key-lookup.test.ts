import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPostgres } from '../../../postgres/client.ts'
import { trackingKeyLookup } from '../../../postgres/stores/tracking-key-lookup.ts'
import { issueTrackingKey, listTrackingKeys, revokeTrackingKey } from '../../../postgres/stores/tracking-keys.ts'
import { createProfile, openPostgres } from '../../profiles.ts'

const timeoutMs = 20_000
let pool: pg.Pool
beforeAll(async () => {
  pool = await openPostgres()
})
afterAll(() => pool.end())

test('an active key names its profile and its currency, and is not seen by being looked up', async () => {
  const profile = await createProfile(pool, { currency: 'CLP' })
  const { trackingKey } = await issueTrackingKey(pool, profile)
  const found = await trackingKeyLookup(pool, { timeoutMs })(trackingKey.key)
  expect(found).toEqual({
    state: 'active',
    profile: { id: profile, reportingCurrency: 'CLP', allowedOrigins: [], locationDetail: 'city' },
  })
  const [listed] = await listTrackingKeys(pool, profile)
  expect(listed!.lastSeenAt).toBeNull()
})

test('a revocation is noticed once the answer is no longer fresh', async () => {
  const profile = await createProfile(pool)
  const { trackingKey } = await issueTrackingKey(pool, profile)
  let now = 0
  const lookup = trackingKeyLookup(pool, { freshMs: 1000, timeoutMs, clock: () => now })
  await lookup(trackingKey.key)
  await revokeTrackingKey(pool, profile, trackingKey.id)
  expect((await lookup(trackingKey.key)).state).toBe('active')
  now = 1000
  expect((await lookup(trackingKey.key)).state).toBe('revoked')
})

test.each([
  ['profile', 'UPDATE profiles SET archived_at = now() WHERE id = $1'],
  [
    'workspace',
    'UPDATE workspaces SET archived_at = now() WHERE id = (SELECT workspace_id FROM profiles WHERE id = $1)',
  ],
])('the key of an archived %s is refused', async (_what, archive) => {
  const profile = await createProfile(pool)
  const { trackingKey } = await issueTrackingKey(pool, profile)
  await pool.query(archive, [profile])
  expect(await trackingKeyLookup(pool, { timeoutMs })(trackingKey.key)).toMatchObject({ state: 'revoked' })
})

test.each([`tl_pub_${randomUUID()}`, '', 'x'.repeat(10_000), "'; DROP TABLE tracking_keys; --", 'a\u0000b'])(
  'an unknown key is unknown',
  async (key) => {
    expect(await trackingKeyLookup(pool, { timeoutMs })(key)).toEqual({ state: 'unknown' })
  },
)

test('while Postgres is away a known key is taken for a while, another fails', async () => {
  const profile = await createProfile(pool)
  const { trackingKey } = await issueTrackingKey(pool, profile)
  const own = connectPostgres(pool.options.connectionString!)
  let now = 0
  const lookup = trackingKeyLookup(own, { freshMs: 1000, timeoutMs, staleMs: 60_000, clock: () => now })
  await lookup(trackingKey.key)
  await own.end()
  now = 59_999
  expect((await lookup(trackingKey.key)).state).toBe('active')
  await expect(lookup(`tl_pub_${randomUUID()}`)).rejects.toThrow()
  now = 60_000
  await expect(lookup(trackingKey.key)).rejects.toThrow()
})
