import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { type IdentityStore, identityStore, type Observation } from '../../../postgres/stores/identity.ts'
import { named, observation } from '../../observations.ts'
import { createProfile, openPostgres } from '../../profiles.ts'

let pool: pg.Pool
let identity: IdentityStore
let profile: string
const [erased, other, squatter, browser, second] = Array.from({ length: 5 }, () => randomUUID()) as [
  string,
  string,
  string,
  string,
  string,
]

beforeAll(async () => {
  pool = await openPostgres()
  identity = identityStore(pool)
})
afterAll(() => pool.end())

const signIn = (at: number, token: string, visitorId = browser): Observation =>
  observation(profile, at, { visitorId, isTrusted: false, identifiers: [{ type: 'email', token, value: null }] })
const eraseAll = () =>
  pool.query('UPDATE identifiers SET erasure_id = $2 WHERE profile_id = $1', [profile, randomUUID()])
const owners = async () => {
  const { rows } = await pool.query('SELECT visitor_id, token FROM visitor_assignments WHERE profile_id = $1', [
    profile,
  ])
  return Object.fromEntries(rows.map(({ visitor_id, token }) => [visitor_id, token]))
}

describe('a browser of an erased customer', () => {
  beforeEach(async () => {
    profile = await createProfile(pool)
    await identity.observe([
      signIn(100, erased),
      signIn(110, other, second),
      named(profile, 120, { [erased]: 'email', [other]: 'email' }),
    ])
    await eraseAll()
    await identity.publishChanges(async () => {})
  })

  it.each([
    ['the one it was erased by', browser, erased],
    ['one that was merged into the customer', second, other],
  ])('stays with the identifier, %s, whatever time a browser claims', async (_, visitorId, token) => {
    await identity.observe([signIn(1, squatter, visitorId)])
    expect((await owners())[visitorId]).toBe(token)
    const told: string[] = []
    await identity.publishChanges(async (changes) => {
      told.push(...changes.filter(({ profileId }) => profileId === profile).map(({ subjectId }) => subjectId))
    })
    expect(told).toEqual([squatter])
  })

  it('is taken by no link token either', async () => {
    await identity.observe([named(profile, 130, { [squatter]: 'email' })])
    const linked = { token: squatter, evidence: evidenceOrder(1, 'link') }
    await identity.observe([observation(profile, 1, { visitorId: browser, isTrusted: false, linked })])
    expect(await owners()).toEqual({ [browser]: erased, [second]: other })
  })

  it('leaves others of the same batch what they say', async () => {
    const third = randomUUID()
    await identity.observe([signIn(1, squatter), signIn(2, squatter, third)])
    expect(await owners()).toEqual({ [browser]: erased, [second]: other, [third]: squatter })
  })
})
