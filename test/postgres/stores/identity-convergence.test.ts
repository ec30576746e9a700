import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evidenceOrder, maxPartners } from '../../../domain/identity-graph.ts'
import type { NewCut } from '../../../domain/unmerge.ts'
import { identityStore, type Observation } from '../../../postgres/stores/identity.ts'
import { identityCuts } from '../../../postgres/stores/identity-cuts.ts'
import { blockedLinks, countHubs } from '../../../postgres/stores/identity-guards.ts'
import { identifierTypes } from '../../../schemas/messages.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { customersOf, named, observation } from '../../observations.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

let database: FreshDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
})
afterAll(() => database.drop())

const index = fc.nat({ max: 9 })
const seen = fc.record({
  identifiers: fc.uniqueArray(index, { minLength: 1, maxLength: 3 }),
  visitor: fc.option(fc.nat({ max: 3 }), { nil: null }),
  at: fc.nat({ max: 6 }),
  isTrusted: fc.boolean(),
  name: fc.option(fc.constantFrom('Ann', 'Bob', 'Cleo'), { nil: null }),
})
const cut = fc
  .uniqueArray(index, { minLength: 2, maxLength: 4 })
  .map((tokens) => ({ kept: tokens.slice(0, tokens.length / 2), separated: tokens.slice(tokens.length / 2) }))
const history = fc.record({
  events: fc.array(seen, { minLength: 1, maxLength: 14 }),
  cuts: fc.array(cut, { maxLength: 3 }),
})

/** One step of a history: messages that are taken in together, or an unmerge. */
type Step = Observation[] | NewCut

describe('identity', () => {
  it('is a function of the sets of observations and cuts: any order, any batches, any duplicates', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async ({ events, cuts }, dice) => {
        const world = async (arrange: (all: Observation[], cuts: NewCut[]) => Step[]) => {
          const profile = await createProfile(pool)
          const tokens: string[] = Array.from({ length: 10 }, () => randomUUID()).sort()
          const visitors: string[] = Array.from({ length: 4 }, () => randomUUID()).sort()
          const all = events.map((event, i) =>
            observation(profile, event.at, {
              evidence: evidenceOrder(event.at, String(i).padStart(3, '0')),
              isTrusted: event.isTrusted,
              visitorId: event.visitor === null ? null : visitors[event.visitor]!,
              firstName: event.name,
              identifiers: event.identifiers.map((n) => ({
                type: identifierTypes[n % identifierTypes.length]!,
                token: tokens[n]!,
                value: null,
              })),
            }),
          )
          const named = cuts.map(({ kept, separated }) => ({
            profileId: profile,
            kept: kept.map((n) => tokens[n]!),
            separated: separated.map((n) => tokens[n]!),
          }))
          for (const step of arrange(all, named)) {
            if (Array.isArray(step)) await identityStore(pool).observe(step)
            else await identityCuts(pool).make(step)
          }
          return picture(profile, tokens, visitors)
        }
        const roll = (below: number) => dice.next().value % below
        const inOrder = await world((all, cuts) => [all, ...cuts])
        const shuffled = await world((all, cuts) => {
          const pile: (Observation | NewCut)[] = [...all, ...all.filter(() => roll(3) === 0), ...cuts, ...cuts]
          const steps: Step[] = []
          while (pile.length > 0) {
            const taken = Array.from({ length: 1 + roll(4) }, () => pile.splice(roll(pile.length), 1)).flat()
            steps.push(taken.flatMap((one) => ('kept' in one ? [] : one)))
            steps.push(...taken.flatMap((one) => ('kept' in one ? one : [])))
          }
          return steps
        })
        expect(shuffled).toEqual(inOrder)
      }),
      { numRuns: 60 },
    )
  })

  it('forgets a cut that is taken back as if it had never been', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(seen, { minLength: 2, maxLength: 10 }), cut, async (events, made) => {
        const world = async (isCut: boolean) => {
          const profile = await createProfile(pool)
          const tokens: string[] = Array.from({ length: 10 }, () => randomUUID()).sort()
          const all = events.map((event, i) =>
            observation(profile, event.at, {
              evidence: evidenceOrder(event.at, String(i).padStart(3, '0')),
              isTrusted: event.isTrusted,
              identifiers: event.identifiers.map((n) => ({ type: 'email', token: tokens[n]!, value: null })),
            }),
          )
          const half = Math.floor(all.length / 2)
          await identityStore(pool).observe(all.slice(0, half))
          const sides = { kept: made.kept.map((n) => tokens[n]!), separated: made.separated.map((n) => tokens[n]!) }
          const cutId = isCut && (await identityCuts(pool).make({ profileId: profile, ...sides })).cutId
          await identityStore(pool).observe(all.slice(half))
          if (cutId) expect(await identityCuts(pool).undo(profile, cutId)).toBe(true)
          return picture(profile, tokens, [])
        }
        expect(await world(true)).toEqual(await world(false))
      }),
      { numRuns: 20 },
    )
  })

  it('counts a shared identifier among its partners’ partners, whichever is found to be shared first', async () => {
    // The phone has its 51st partner in the clinic's desk, which is shared itself.
    const world = async (order: (batches: Observation[][]) => Observation[][]) => {
      const profile = await createProfile(pool)
      const token = () => randomUUID() as string
      const [desk, phone] = [token(), token()].sort() as [string, string]
      const meets = (hub: string, count: number, from: number) =>
        Array.from({ length: count }, (_, i) => named(profile, from + i, { [hub]: 'phone', [token()]: 'email' }))
      const batches = [
        meets(desk, maxPartners + 1, 100),
        meets(phone, maxPartners, 200),
        [named(profile, 300, { [desk]: 'phone', [phone]: 'phone' })],
      ]
      for (const batch of order(batches)) await identityStore(pool).observe(batch)
      return {
        groups: (await customersOf(pool, profile)).map((tokens) => tokens.length).sort((x, y) => x - y),
        hubs: await countHubs(pool, profile),
        blocked: await blockedLinks(pool, profile),
      }
    }
    const inOrder = await world((batches) => batches)
    expect(inOrder.hubs).toBe(2)
    expect(inOrder.blocked).toEqual([{ reason: 'hub', count: 2 * maxPartners + 2 }])
    expect(await world((batches) => batches.toReversed())).toEqual(inOrder)
    expect(await world((batches) => [batches.flat()])).toEqual(inOrder)
    expect(await world(([desk, phone, both]) => [desk!, both!, phone!])).toEqual(inOrder)
  })
})

/** Everything that must not depend on the order: groups, names, browsers, and which links are blocked by what. */
async function picture(profile: string, tokens: string[], visitors: string[]) {
  const name = (id: string) => tokens.indexOf(id)
  const { rows: owners } = await pool.query(
    `SELECT v.visitor_id, array_agg(i.token::text) AS tokens, c.first_name
     FROM visitor_assignments v JOIN identifiers o USING (profile_id, token)
     JOIN identifiers i ON i.profile_id = o.profile_id AND i.customer_id = o.customer_id
     JOIN customers c ON c.id = o.customer_id
     WHERE v.profile_id = $1 GROUP BY v.visitor_id, c.first_name`,
    [profile],
  )
  const { rows: links } = await pool.query(
    'SELECT a, b, is_trusted, evidence, blocked_by FROM identity_links WHERE profile_id = $1',
    [profile],
  )
  return {
    groups: (await customersOf(pool, profile)).map((group) => group.map(name).sort().join()).sort(),
    owners: owners
      .map((row) => [visitors.indexOf(row.visitor_id), row.tokens.map(name).sort().join(), row.first_name])
      .sort(),
    links: links.map((l) => [name(l.a), name(l.b), l.is_trusted, l.evidence, l.blocked_by].join()).sort(),
  }
}
