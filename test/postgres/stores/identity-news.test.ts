import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { digest, type Observation } from '../../../domain/observation.ts'
import { transaction } from '../../../postgres/client.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { findNews, findNewsAmong, knownTokens } from '../../../postgres/stores/identity-reads.ts'
import { customersOfTokens } from '../../../postgres/stores/identity-view.ts'
import type { IdentifierType } from '../../../schemas/messages.ts'
import { createProfile, openPostgres } from '../../profiles.ts'

let pool: pg.Pool
beforeAll(async () => {
  pool = await openPostgres()
})
afterAll(() => pool.end())

it('finds the same news whether or not it is told which tokens there are', async () => {
  const profileId = await createProfile(pool)
  const tokens = Array.from({ length: 12 }, () => randomUUID() as string)
  const say = (picked: number[], at: number, parts: Partial<Observation> = {}): Observation => ({
    profileId,
    evidence: evidenceOrder(at, randomUUID()),
    isTrusted: true,
    visitorId: null,
    identifiers: picked.map((n) => ({
      type: (n % 2 ? 'email' : 'phone') as IdentifierType,
      token: tokens[n]!,
      value: null,
    })),
    firstName: null,
    lastName: null,
    ...parts,
  })
  const visitorId = randomUUID()
  await identityStore(pool).observe([say([0, 1], 5_000, { visitorId }), say([2, 3], 5_000), say([4], 5_000)])
  const seen = digest([
    say([0, 1], 6_000, { visitorId }),
    say([2, 3], 4_000),
    say([1, 4], 6_000),
    say([4, 5], 6_000),
    say([6, 7], 6_000, { visitorId: randomUUID() }),
    say([0], 7_000, { firstName: 'Ana' }),
  ])
  const known = await knownTokens(pool, [...seen.identifiers.values()])
  expect(known).toEqual(new Set(tokens.slice(0, 5)))
  const news = await findNewsAmong(pool, seen, known)
  expect(news).toEqual(await findNews(pool, seen))
  expect([...news.links.values()].map(({ a, b }) => new Set([a, b]))).toEqual(
    [
      [2, 3],
      [1, 4],
      [4, 5],
      [6, 7],
    ].map((pair) => new Set(pair.map((n) => tokens[n]))),
  )
})

it('reads no more of a profile than it is asked for, before the planner has heard of it', async () => {
  const profileId = await createProfile(pool)
  const tokens = Array.from({ length: 500 }, () => randomUUID() as string)
  await identityStore(pool).observe(
    tokens.map((token, n) => ({
      profileId,
      evidence: evidenceOrder(n, randomUUID()),
      isTrusted: true,
      visitorId: null,
      identifiers: [{ type: 'email', token, value: `${n}@example.com` }],
      firstName: null,
      lastName: null,
    })),
  )
  const asked = tokens.slice(0, 20).map((token) => ({ profileId, token }))
  const read = await transaction(pool, async (tx) => {
    expect((await knownTokens(tx, asked)).size).toBe(20)
    expect(await customersOfTokens(tx, profileId, tokens.slice(0, 20))).toHaveLength(20)
    const { rows } = await tx.query<{ count: number }>(
      `SELECT (idx_tup_fetch + seq_tup_read)::int AS count FROM pg_stat_xact_user_tables WHERE relname = 'identifiers'`,
    )
    return rows[0]!.count
  })
  expect(read).toBeLessThan(tokens.length)
})
