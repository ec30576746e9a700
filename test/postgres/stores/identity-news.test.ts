import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { digest, type Observation } from '../../../domain/observation.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { findNews, findNewsAmong, knownTokens } from '../../../postgres/stores/identity-reads.ts'
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
