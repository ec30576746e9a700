import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { trackingKeySightings } from '../../../postgres/stores/tracking-key-sightings.ts'
import { issueTrackingKey, listTrackingKeys } from '../../../postgres/stores/tracking-keys.ts'
import { until } from '../../kafka.ts'
import { createProfile, openPostgres } from '../../profiles.ts'

let pool: pg.Pool
beforeAll(async () => {
  pool = await openPostgres()
})
afterAll(() => pool.end())

test('a key is seen with the first accepted hit, and again a minute later', async () => {
  const profile = await createProfile(pool)
  const { key } = (await issueTrackingKey(pool, profile)).trackingKey
  const lastSeen = async () => (await listTrackingKeys(pool, profile))[0]!.lastSeenAt?.getTime() ?? 0
  let now = 0
  const see = trackingKeySightings(pool, { timeoutMs: 20_000, clock: () => now })
  see(key)
  await until(async () => (await lastSeen()) > 0)
  await pool.query("UPDATE tracking_keys SET last_seen_at = now() - interval '2 minutes' WHERE key = $1", [key])
  const before = await lastSeen()
  now = 60_000
  see(key)
  await until(async () => (await lastSeen()) > before)
})

test('a flood of hits is one statement a minute, also while Postgres is away', async () => {
  const query = vi.fn(() => Promise.reject(new Error('away')))
  let now = 0
  const see = trackingKeySightings({ query } as never, { clock: () => now })
  for (now = 0; now < 120_000; now += 100) see('tl_pub_busy')
  expect(query).toHaveBeenCalledTimes(2)
})
