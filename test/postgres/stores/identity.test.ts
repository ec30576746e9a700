import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { type IdentityChange, identityStore, type Observation } from '../../../postgres/stores/identity.ts'
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
    expect(await customersOf(pool, profile)).toEqual([[mail, phone].sort()])
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
    expect(await customersOf(pool, profile)).toEqual([[mail, phone].sort()])
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
    expect(await customersOf(pool, profile)).toHaveLength(2)
  })

  it('tells of the customer that a browser leaves as well: its credit changes too', async () => {
    const profile = await createProfile(pool)
    const store = identityStore(pool)
    const [visitor, ann, bob] = [randomUUID(), randomUUID(), randomUUID()]
    const seen = (at: number, token: string) =>
      observation(profile, at, { visitorId: visitor, identifiers: [{ type: 'email', token, value: null }] })
    await store.observe([seen(20, bob)])
    await drainChanges()
    await store.observe([seen(10, ann)])
    const told = (await drainChanges()).map((change) => change.subjectId)
    expect(told.sort()).toEqual([visitor, ann, bob].sort())
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
    expect(await customersOf(pool, profile)).toEqual([tokens.toSorted()])
  })

  it('counts the earlier visits of every device on which a person was recognised', async () => {
    const profile = await createProfile(pool)
    const store = identityStore(pool)
    const [desktop, mobile, mail, phone] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const on = (at: number, visitorId: string, token: string, type: 'email' | 'phone') =>
      observation(profile, at, { visitorId, isTrusted: false, identifiers: [{ type, token, value: null }] })
    await store.observe([on(1, desktop, mail, 'email'), on(2, mobile, phone, 'phone')])
    const apart = new Map((await drainChanges()).map((change) => [change.subjectId, change.customerId]))
    expect(apart.get(desktop)).not.toBe(apart.get(mobile))
    await store.observe([named(profile, 3, { [mail]: 'email', [phone]: 'phone' })])
    const together = await drainChanges()
    expect(together.map((change) => change.subjectId).sort()).toEqual([mobile, phone].sort())
    expect(new Set(together.map((change) => change.customerId))).toEqual(new Set([apart.get(desktop)]))
  })

  it('never joins two people because they used one browser', async () => {
    const profile = await createProfile(pool)
    const [visitor, ann, bob, bobsPhone] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const seen = (at: number, ...tokens: string[]) =>
      observation(profile, at, {
        visitorId: visitor,
        isTrusted: false,
        identifiers: tokens.map((token) => ({ type: 'email', token, value: null })),
      })
    await identityStore(pool).observe([seen(1, ann), seen(2, bob), seen(3, bob, bobsPhone), seen(4, ann, bob)])
    expect(await customersOf(pool, profile)).toEqual([[ann], [bob, bobsPhone].sort()].sort())
    const { rows } = await pool.query('SELECT token FROM visitor_assignments WHERE visitor_id = $1', [visitor])
    expect(rows).toEqual([{ token: ann }])
  })

  it('keeps the grouping of erased identifiers', async () => {
    const profile = await createProfile(pool)
    const store = identityStore(pool)
    const [mail, phone, contact, second] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const crm = (token: string, value: string | null) => ({ type: 'crm_contact_id' as const, token, value })
    const ofMail = (value: string | null) => ({ type: 'email' as const, token: mail, value })
    await store.observe([
      observation(profile, 1, { identifiers: [ofMail('a@b.cl'), crm(contact, 'hubspot:1')] }),
      named(profile, 2, { [mail]: 'email', [phone]: 'phone' }),
    ])
    const before = await customersOf(pool, profile)
    await pool.query('UPDATE identifiers SET value = NULL WHERE profile_id = $1', [profile])
    await drainChanges()
    const again = observation(profile, 0, { identifiers: [ofMail(null), crm(contact, null)] })
    await store.observe([again])
    expect(await customersOf(pool, profile)).toEqual(before)
    expect(await drainChanges()).toEqual([])
    // Which CRM it was outlives the value: the guard still knows two contacts of one CRM.
    await store.observe([observation(profile, 3, { identifiers: [ofMail(null), crm(second, 'hubspot:2')] })])
    expect(await customersOf(pool, profile)).toEqual([...before, [second]].sort())
  })

  it('takes a constant number of round trips, and one without the lock for people it knows', async () => {
    const people = (profile: string, count: number, first: number) =>
      Array.from({ length: count }, (_, i) =>
        observation(profile, first + i, {
          visitorId: randomUUID(),
          firstName: 'Ann',
          identifiers: [
            { type: 'email', token: randomUUID(), value: null },
            { type: 'phone', token: randomUUID(), value: null },
          ],
        }),
      )
    const { counting, statements } = countStatements(pool)
    const profile = await createProfile(pool)
    const cost = async (batch: Observation[]) => {
      statements.length = 0
      await identityStore(counting).observe(batch)
      return statements.length
    }
    const [few, many] = [people(profile, 2, 1), people(profile, 300, 1000)]
    const ofFew = await cost(few)
    expect(await cost(many)).toBe(ofFew)
    const meeting = many.map((one, i) => ({
      ...one,
      evidence: evidenceOrder(9000 + i, 'x'),
      identifiers: [one.identifiers[0]!, many[(i + 1) % 10]!.identifiers[1]!],
    }))
    expect(await cost(meeting)).toBeLessThanOrEqual(ofFew + 4)

    const holder = await pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [profile])
      const later = many.map((one, i) => ({ ...one, evidence: evidenceOrder(20_000 + i, 'later') }))
      expect(await cost([...few, ...many, ...later])).toBe(1)
      expect(statements[0]).toMatch(/^SELECT/)
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
    }
  })
})

/** The pool, with every statement that goes through it written down. */
function countStatements(real: pg.Pool) {
  const statements: string[] = []
  const note = <T extends pg.Pool | pg.PoolClient>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const member = Reflect.get(of, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (name === 'query') statements.push(String(args[0]).trim())
          const result = member.apply(of, args)
          return name === 'connect' ? result.then(note) : result
        }
      },
    })
  return { counting: note(real), statements }
}
