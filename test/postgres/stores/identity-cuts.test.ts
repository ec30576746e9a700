import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { maxPartners } from '../../../domain/identity-graph.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { identityCuts } from '../../../postgres/stores/identity-cuts.ts'
import { blockedLinks, countHubs } from '../../../postgres/stores/identity-guards.ts'
import { describeCustomer } from '../../../postgres/stores/identity-view.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { customerOf, customersOf, named, observation } from '../../observations.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

let database: FreshDatabase
let pool: pg.Pool
let profile: string

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
})
afterAll(() => database.drop())
beforeEach(async () => {
  profile = await createProfile(pool)
})

const token = (): string => randomUUID()
const observe = (...observations: Parameters<typeof named>[]) =>
  identityStore(pool).observe(observations.map((args) => named(...args)))

async function changes(): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  const take = identityStore(pool).publishChanges
  while (
    (await take(async (batch) => {
      for (const change of batch.toSorted((x, y) => Number(x.version) - Number(y.version))) {
        all.set(change.subjectId, change.customerId)
      }
    })) > 0
  );
  return all
}

const ledgerOf = async () =>
  (await pool.query('SELECT * FROM identity_ledger WHERE profile_id = $1 ORDER BY id', [profile])).rows

describe('a cut', () => {
  it('gives a merged-away customer its id back, and facts follow', async () => {
    const [mail, phone, visitor] = [token(), token(), token()]
    await observe([profile, 1, { [mail]: 'email' }])
    const ofPhone = { type: 'phone' as const, token: phone, value: null }
    await identityStore(pool).observe([observation(profile, 2, { visitorId: visitor, identifiers: [ofPhone] })])
    const [ann, bob] = [await customerOf(pool, profile, mail), await customerOf(pool, profile, phone)]
    await observe([profile, 3, { [mail]: 'email', [phone]: 'phone' }])
    expect(await identityStore(pool).survivor(profile, bob)).toBe(ann)
    await changes()

    await identityCuts(pool).make({ profileId: profile, kept: [mail], separated: [phone] })
    expect(await customerOf(pool, profile, mail)).toBe(ann)
    expect(await customerOf(pool, profile, phone)).toBe(bob)
    expect(await identityStore(pool).survivor(profile, bob)).toBe(bob)
    expect(await changes()).toEqual(
      new Map([
        [mail, ann],
        [phone, bob],
        [visitor, bob],
      ]),
    )
  })

  it('leaves the id with who is kept, even when the separated one was seen first', async () => {
    const [mail, phone] = [token(), token()]
    await observe([profile, 1, { [phone]: 'phone' }], [profile, 2, { [phone]: 'phone', [mail]: 'email' }])
    const before = await customerOf(pool, profile, mail)
    await identityCuts(pool).make({ profileId: profile, kept: [mail], separated: [phone] })
    expect(await customerOf(pool, profile, mail)).toBe(before)
    expect(await customerOf(pool, profile, phone)).not.toBe(before)
  })

  it('shows beforehand what it would do and writes nothing', async () => {
    const [mail, phone] = [token(), token()]
    await observe([profile, 1, { [mail]: 'email', [phone]: 'phone' }])
    const { identifiers } = await identityCuts(pool).preview({ profileId: profile, kept: [mail], separated: [phone] })
    expect(new Set(identifiers.map((i) => i.customerId)).size).toBe(2)
    expect(await customersOf(pool, profile)).toHaveLength(1)
    expect((await describeCustomer(pool, profile, await customerOf(pool, profile, mail))).cuts).toEqual([])
  })

  it('outlives the same evidence again, earlier evidence and links to come', async () => {
    const [mail, phone, other] = [token(), token(), token()]
    await observe([profile, 5, { [mail]: 'email', [phone]: 'phone' }])
    await identityCuts(pool).make({ profileId: profile, kept: [mail], separated: [phone] })
    const apart = [[mail], [phone]].sort()
    await observe([profile, 5, { [mail]: 'email', [phone]: 'phone' }])
    expect(await customersOf(pool, profile)).toEqual(apart)
    await observe([profile, 1, { [mail]: 'email', [phone]: 'phone' }])
    expect(await customersOf(pool, profile)).toEqual(apart)
    await observe(
      [profile, 6, { [phone]: 'phone', [other]: 'email' }],
      [profile, 7, { [other]: 'email', [mail]: 'email' }],
    )
    expect(await customersOf(pool, profile)).toEqual([[mail], [phone, other].sort()].sort())
    expect(await blockedLinks(pool, profile)).toEqual([{ reason: 'cut', count: 2 }])
  })

  it('outlives an identifier that becomes shared by many', async () => {
    const [mail, phone, desk] = [token(), token(), token()]
    await observe([profile, 1, { [mail]: 'email', [phone]: 'phone', [desk]: 'phone' }])
    await identityCuts(pool).make({ profileId: profile, kept: [mail], separated: [phone] })
    await observe(
      ...Array.from(
        { length: maxPartners },
        (_, i): Parameters<typeof named> => [profile, 10 + i, { [desk]: 'phone', [token()]: 'email' }],
      ),
    )
    expect(await countHubs(pool, profile)).toBe(1)
    expect(await customersOf(pool, profile)).toHaveLength(maxPartners + 3)
    expect(await blockedLinks(pool, profile)).toEqual([
      { reason: 'cut', count: 1 },
      { reason: 'hub', count: maxPartners + 2 },
    ])
  })

  it('is one cut when it is made twice, and is gone when it is taken back', async () => {
    const [mail, phone] = [token(), token()]
    const cut = { profileId: profile, kept: [mail], separated: [phone] }
    await observe([profile, 1, { [mail]: 'email', [phone]: 'phone' }])
    const made = await identityCuts(pool).make(cut)
    expect(await identityCuts(pool).make(cut)).toEqual({ cutId: made.cutId, isNew: false })
    expect(await identityCuts(pool).undo(await createProfile(pool), made.cutId)).toBe(false)
    expect(await identityCuts(pool).undo(profile, made.cutId)).toBe(true)
    expect(await identityCuts(pool).undo(profile, made.cutId)).toBe(false)
    expect(await customersOf(pool, profile)).toEqual([[mail, phone].sort()])
    expect((await ledgerOf()).map((line) => line.kind)).toEqual(['split', 'cut', 'undo_cut', 'merge'])
  })

  it('leads a merged-away id to the side that its identifier is on', async () => {
    const [mail, phone, other] = [token(), token(), token()]
    await observe(
      [profile, 1, { [mail]: 'email' }],
      [profile, 2, { [phone]: 'phone' }],
      [profile, 3, { [other]: 'email' }],
    )
    const [ann, bob, carl] = await Promise.all([mail, phone, other].map((t) => customerOf(pool, profile, t)))
    await observe([profile, 4, { [mail]: 'email', [phone]: 'phone', [other]: 'email' }])
    await identityCuts(pool).make({ profileId: profile, kept: [mail], separated: [phone, other] })
    expect(await identityStore(pool).survivor(profile, ann!)).toBe(ann)
    expect(await identityStore(pool).survivor(profile, bob!)).toBe(bob)
    expect(await identityStore(pool).survivor(profile, carl!)).toBe(bob)
  })
})

describe('the ledger', () => {
  it('says which link joined whom, also through somebody new', async () => {
    const [mail, phone, rut] = [token(), token(), token()]
    await observe([profile, 1, { [mail]: 'email' }], [profile, 2, { [phone]: 'phone' }])
    const [ann, bob] = [await customerOf(pool, profile, mail), await customerOf(pool, profile, phone)]
    await observe(
      [profile, 4, { [phone]: 'phone', [rut]: 'national_id' }],
      [profile, 3, { [mail]: 'email', [rut]: 'national_id' }],
    )
    expect(await ledgerOf()).toMatchObject([
      {
        kind: 'merge',
        survivor_id: ann,
        other_id: bob,
        link_a: [phone, rut].sort()[0],
        link_b: [phone, rut].sort()[1],
        is_trusted: true,
        cut_id: null,
      },
    ])
    expect((await ledgerOf())[0].evidence).toMatch(/^0+4:/)
  })

  it('says who came out of whom when late evidence takes a union back', async () => {
    const [mail, first, second] = [token(), token(), token()]
    await observe([profile, 5, { [mail]: 'email', [second]: 'national_id' }])
    const before = await customerOf(pool, profile, mail)
    await observe([profile, 2, { [mail]: 'email', [first]: 'national_id' }])
    const [ofMail, ofSecond] = [await customerOf(pool, profile, mail), await customerOf(pool, profile, second)]
    expect(ofMail).toBe(before)
    expect(await ledgerOf()).toMatchObject([{ kind: 'split', survivor_id: before, other_id: ofSecond, link_a: null }])
    expect(await blockedLinks(pool, profile)).toEqual([{ reason: 'different_held_once', count: 1 }])
  })

  it('has no line for people who were never apart', async () => {
    await observe([profile, 1, { [token()]: 'email', [token()]: 'phone' }])
    expect(await ledgerOf()).toEqual([])
  })
})
