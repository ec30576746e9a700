import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { type IdentityChange, identityStore, type Observation } from '../../../postgres/stores/identity.ts'
import { identifierTypes } from '../../../schemas/messages.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

let database: FreshDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
})
afterAll(() => database.drop())

const observation = (profileId: string, at: number, parts: Partial<Observation>): Observation => ({
  profileId,
  evidence: evidenceOrder(at, parts.evidence ?? randomUUID()),
  isTrusted: true,
  visitorId: null,
  identifiers: [],
  firstName: null,
  lastName: null,
  ...parts,
})

async function customersOf(profile: string): Promise<string[][]> {
  const { rows } = await pool.query<{ tokens: string[] }>(
    'SELECT array_agg(token::text ORDER BY token) AS tokens FROM identifiers WHERE profile_id = $1 GROUP BY customer_id',
    [profile],
  )
  return rows.map((row) => row.tokens).sort()
}

async function drainChanges(): Promise<IdentityChange[]> {
  const all: IdentityChange[] = []
  const store = identityStore(pool)
  while ((await store.publishChanges(async (changes) => void all.push(...changes))) > 0);
  return all
}

describe('identityStore', () => {
  it('creates one customer for the identifiers of one message and tells the warehouse where they belong', async () => {
    const profile = await createProfile(pool)
    await drainChanges()
    const [mail, phone, visitor] = [randomUUID(), randomUUID(), randomUUID()]
    await identityStore(pool).observe([
      observation(profile, 1, {
        visitorId: visitor,
        identifiers: [
          { type: 'email', token: mail, value: 'ann@example.com' },
          { type: 'phone', token: phone, value: '+56912345678' },
        ],
      }),
    ])
    expect(await customersOf(profile)).toEqual([[mail, phone].sort()])
    const changes = await drainChanges()
    expect(changes.map((change) => change.subjectId).sort()).toEqual([mail, phone, visitor].sort())
    expect(new Set(changes.map((change) => change.customerId)).size).toBe(1)
  })

  it('says nothing new when it sees the same again', async () => {
    const profile = await createProfile(pool)
    const seen = [
      observation(profile, 1, {
        visitorId: randomUUID(),
        identifiers: [
          { type: 'email', token: randomUUID(), value: 'a@example.com' },
          { type: 'phone', token: randomUUID(), value: '+56912345678' },
        ],
      }),
    ]
    await identityStore(pool).observe(seen)
    await drainChanges()
    await identityStore(pool).observe(seen)
    expect(await drainChanges()).toEqual([])
  })

  it('merges two customers when a later message names both, and the older id survives', async () => {
    const profile = await createProfile(pool)
    const store = identityStore(pool)
    const [mail, phone] = [randomUUID(), randomUUID()]
    await store.observe([observation(profile, 1, { identifiers: [{ type: 'email', token: mail, value: 'a@b.cl' }] })])
    await store.observe([
      observation(profile, 2, { identifiers: [{ type: 'phone', token: phone, value: '+56900000001' }] }),
    ])
    const before = new Map((await drainChanges()).map((change) => [change.subjectId, change.customerId]))
    await store.observe([
      observation(profile, 3, {
        identifiers: [
          { type: 'email', token: mail, value: 'a@b.cl' },
          { type: 'phone', token: phone, value: '+56900000001' },
        ],
      }),
    ])
    expect(await customersOf(profile)).toEqual([[mail, phone].sort()])
    expect(await drainChanges()).toMatchObject([{ subjectId: phone, customerId: before.get(mail) }])
    expect(await store.survivor(profile, before.get(phone)!)).toBe(before.get(mail))
  })

  it('keeps a shared browser with the first person by event time, whatever arrives first', async () => {
    const profile = await createProfile(pool)
    const store = identityStore(pool)
    const [visitor, ann, bob] = [randomUUID(), randomUUID(), randomUUID()]
    const seen = (at: number, token: string) =>
      observation(profile, at, {
        visitorId: visitor,
        isTrusted: false,
        identifiers: [{ type: 'email', token, value: null }],
      })
    await store.observe([seen(20, bob)])
    await store.observe([seen(10, ann)])
    await store.observe([seen(30, bob)])
    const owner = (await drainChanges()).filter((change) => change.subjectId === visitor).at(-1)!.customerId
    const { rows } = await pool.query('SELECT customer_id FROM identifiers WHERE token = $1', [ann])
    expect(owner).toBe(rows[0].customer_id)
    expect(await customersOf(profile)).toHaveLength(2)
  })

  it('keeps the name that was seen first by event time', async () => {
    const profile = await createProfile(pool)
    const store = identityStore(pool)
    const token = randomUUID()
    const named = (at: number, firstName: string) =>
      observation(profile, at, { identifiers: [{ type: 'email', token, value: null }], firstName })
    await store.observe([named(2, 'Later')])
    await store.observe([named(1, 'First')])
    await store.observe([named(3, 'Last')])
    const { rows } = await pool.query('SELECT first_name FROM customers WHERE profile_id = $1', [profile])
    expect(rows).toEqual([{ first_name: 'First' }])
  })

  it('creates nobody twice when two processors see the same identifiers at once', async () => {
    const profile = await createProfile(pool)
    const tokens = Array.from({ length: 20 }, () => randomUUID())
    const batch = tokens.map((token, i) =>
      observation(profile, i, {
        identifiers: [
          { type: 'email', token, value: null },
          { type: 'phone', token: tokens[(i + 1) % tokens.length]!, value: null },
        ].map((x) => ({ ...x, type: 'email' as const })),
      }),
    )
    await Promise.all(Array.from({ length: 6 }, () => identityStore(pool).observe(batch)))
    expect(await customersOf(profile)).toEqual([tokens.toSorted()])
  })

  it('groups by the set of observations: any order, any batches, any duplicates', async () => {
    const index = fc.nat({ max: 9 })
    const seen = fc.record({
      identifiers: fc.uniqueArray(index, { minLength: 1, maxLength: 3 }),
      visitor: fc.option(fc.nat({ max: 3 }), { nil: null }),
      at: fc.nat({ max: 6 }),
      isTrusted: fc.boolean(),
      name: fc.option(fc.constantFrom('Ann', 'Bob', 'Cleo'), { nil: null }),
    })
    const history = fc.array(seen, { minLength: 1, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (events, dice) => {
        const world = async (arrange: (all: Observation[]) => Observation[][]) => {
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
          for (const batch of arrange(all)) await identityStore(pool).observe(batch)
          const name = (id: string) => tokens.indexOf(id)
          const groups = (await customersOf(profile)).map((group) => group.map(name).sort().join())
          const { rows } = await pool.query(
            `SELECT v.visitor_id, array_agg(i.token::text) AS tokens, c.first_name
             FROM visitor_assignments v JOIN identifiers o USING (profile_id, token)
             JOIN identifiers i ON i.profile_id = o.profile_id AND i.customer_id = o.customer_id
             JOIN customers c ON c.id = o.customer_id
             WHERE v.profile_id = $1 GROUP BY v.visitor_id, c.first_name`,
            [profile],
          )
          const owners = rows.map((row) => [
            visitors.indexOf(row.visitor_id),
            row.tokens.map(name).sort().join(),
            row.first_name,
          ])
          return { groups: groups.sort(), owners: owners.sort() }
        }
        const roll = (below: number) => dice.next().value % below
        const inOrder = await world((all) => [all])
        const shuffled = await world((all) => {
          const pile = [...all, ...all.filter(() => roll(3) === 0)]
          const batches: Observation[][] = []
          while (pile.length > 0) {
            const batch = Array.from({ length: 1 + roll(4) }, () => pile.splice(roll(pile.length), 1)).flat()
            batches.push(batch)
          }
          return batches
        })
        expect(shuffled).toEqual(inOrder)
      }),
      { numRuns: 60 },
    )
  })
})
