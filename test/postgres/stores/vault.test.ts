import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { open, seal, vaultKeys } from '../../../domain/sealing.ts'
import { listen } from '../../../postgres/notifications.ts'
import { erasedChannel } from '../../../postgres/stores/erasures.ts'
import { postgresVault } from '../../../postgres/stores/vault.ts'
import { createProfile, openPostgres } from '../../profiles.ts'

const secrets = vaultKeys(randomBytes(32))
let pool: pg.Pool
let profile: string

beforeAll(async () => {
  pool = await openPostgres()
})
afterAll(() => pool.end())
beforeEach(async () => {
  profile = await createProfile(pool)
})

const rowsOf = async (id: string) =>
  (await pool.query('SELECT type, value_hmac, token, data_key FROM vault WHERE profile_id = $1', [id])).rows

/** A vault that has seen nothing yet, as in another process. */
const freshVault = () => postgresVault(pool, secrets, { timeoutMs: 20_000 })

test('a value gets a random token and a key, and keeps both', async () => {
  const [first] = await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  const [again] = await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  expect(again).toEqual(first)
  expect(first!.key.length).toBe(32)
})

test('answers come in the order asked, with duplicates', async () => {
  const asked = [
    { type: 'phone', value: '+56987654321' },
    { type: 'email', value: 'ana@example.com' },
    { type: 'phone', value: '+56987654321' },
    { type: 'subject_ref', value: 'pet-1' },
  ] as const
  const found = await freshVault().tokens(profile, asked)
  expect(found.map(({ type, value }) => ({ type, value }))).toEqual(asked)
  expect(found[0]!.token).toBe(found[2]!.token)
  expect(new Set(found.map(({ token }) => token)).size).toBe(3)
})

test('one value is another person in another profile, and another token as another type', async () => {
  const other = await createProfile(pool)
  const vault = freshVault()
  const value = 'C-1'
  const tokens = await Promise.all([
    vault.tokens(profile, [{ type: 'external_customer_id', value }]),
    vault.tokens(profile, [{ type: 'crm_contact_id', value }]),
    vault.tokens(other, [{ type: 'external_customer_id', value }]),
  ])
  expect(new Set(tokens.flat().map(({ token }) => token)).size).toBe(3)
})

test('twenty processes that see the same new values at once agree on their tokens', async () => {
  const values = Array.from({ length: 50 }, (_, n) => ({ type: 'email' as const, value: `p${n}@example.com` }))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => freshVault().tokens(profile, n % 2 ? values : values.toReversed())),
  )
  const byValue = Map.groupBy(answers.flat(), ({ value }) => value)
  for (const entries of byValue.values()) expect(new Set(entries.map(({ token }) => token)).size).toBe(1)
  expect(await rowsOf(profile)).toHaveLength(50)
})

test('concurrent calls of one process share round trips', async () => {
  const vault = freshVault()
  let queries = 0
  const counting = new Proxy(pool, {
    get: (target, name) => {
      if (name === 'query') queries++
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const shared = postgresVault(counting, secrets, { timeoutMs: 20_000 })
  const calls = Array.from({ length: 200 }, (_, n) => [{ type: 'email' as const, value: `q${n}@example.com` }])
  const found = await Promise.all(calls.map((values) => shared.tokens(profile, values)))
  expect(queries).toBeLessThanOrEqual(3)
  expect(await vault.tokens(profile, calls.flat())).toEqual(found.flat())
})

test('the rows hold neither a value nor a usable key', async () => {
  const [entry] = await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  const [row] = await rowsOf(profile)
  expect(row.value_hmac.includes('ana')).toBe(false)
  expect(row.data_key.includes(entry!.key)).toBe(false)
  const stolen = postgresVault(pool, vaultKeys(randomBytes(32)))
  await expect(stolen.keys([{ profileId: profile, token: entry!.token }])).rejects.toThrow()
})

test('keys of known tokens open what was sealed; a token of another profile or an erased one has none', async () => {
  const vault = freshVault()
  const [kept, erased] = await vault.tokens(profile, [
    { type: 'email', value: 'ana@example.com' },
    { type: 'phone', value: '+56987654321' },
  ])
  const sealed = seal(kept!.key, 'x', 'Ana')
  await pool.query('DELETE FROM vault WHERE token = $1', [erased!.token])
  const reader = freshVault()
  const wanted = [kept!.token, erased!.token, randomUUID()].map((token) => ({ profileId: profile, token }))
  const keys = await reader.keys(wanted)
  expect([...keys.keys()]).toEqual([kept!.token])
  expect(open(keys.get(kept!.token)!, 'x', sealed).toString()).toBe('Ana')
  expect(await reader.keys(wanted)).toEqual(keys)
  expect(await reader.keys([{ profileId: randomUUID(), token: kept!.token }])).toEqual(new Map())
})

test('a value that comes back after its erasure gets a new token', async () => {
  const [before] = await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  await pool.query('DELETE FROM vault WHERE profile_id = $1', [profile])
  const [after] = await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  expect(after!.token).not.toBe(before!.token)
})

test('a profile that is gone fails its own call, not those it shares a round trip with', async () => {
  const vault = freshVault()
  const gone = vault.tokens(randomUUID(), [{ type: 'email', value: 'ana@example.com' }])
  const good = vault.tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  await expect(gone).rejects.toThrow('does not exist any more')
  await expect(good).resolves.toHaveLength(1)
})

test('a look-up finds what has a token, in the order asked, and creates nothing', async () => {
  const [known] = await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  const asked = [
    { type: 'email', value: 'nobody@example.com' },
    { type: 'email', value: 'ana@example.com' },
    { type: 'external_customer_id', value: 'ana@example.com' },
  ] as const
  expect(await freshVault().find(profile, asked)).toEqual([undefined, known!.token, undefined])
  expect(await freshVault().find(await createProfile(pool), asked)).toEqual([undefined, undefined, undefined])
  expect(await rowsOf(profile)).toHaveLength(1)
})

test('what one process erased, another forgets as soon as it hears of it', async () => {
  const [reader, writer] = [
    freshVault(),
    await freshVault().tokens(profile, [{ type: 'email', value: 'ana@example.com' }]),
  ]
  const [before] = await reader.tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  expect(before!.token).toBe(writer[0]!.token)
  const heard = listen(pool, erasedChannel, { onMessage: reader.forget, onDeaf: reader.forget })
  await heard.ready
  await pool.query(`WITH gone AS (DELETE FROM vault WHERE profile_id = $1) SELECT pg_notify($2, $1::text)`, [
    profile,
    erasedChannel,
  ])
  await vi.waitUntil(async () => {
    const [after] = await reader.tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
    return after!.token !== before!.token
  })
  await heard.stop()
})

test('a listener whose connection broke says that it may have missed something', async () => {
  const deaf = Promise.withResolvers<void>()
  const channel = `test_${randomUUID()}`
  const heard = listen(pool, channel, { onMessage: () => {}, onDeaf: deaf.resolve })
  await heard.ready
  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND query LIKE $1",
    [`%${channel}%`],
  )
  await deaf.promise
  await heard.stop()
})

test('what was asked for before an erasure is not remembered after it', async () => {
  const vault = freshVault()
  const asked = vault.tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  vault.forget(profile)
  const [before] = await asked
  await pool.query('DELETE FROM vault WHERE profile_id = $1', [profile])
  const [after] = await vault.tokens(profile, [{ type: 'email', value: 'ana@example.com' }])
  expect(after!.token).not.toBe(before!.token)
})
