import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { type IdentityStore, identityStore, type Observation } from '../../../postgres/stores/identity.ts'
import { observation } from '../../observations.ts'
import { createProfile, openPostgres } from '../../profiles.ts'

let pool: pg.Pool
let identity: IdentityStore
let profile: string
const [ana, ben, browser] = [randomUUID(), randomUUID(), randomUUID()]

beforeAll(async () => {
  pool = await openPostgres()
  identity = identityStore(pool)
})
afterAll(() => pool.end())
beforeEach(async () => {
  profile = await createProfile(pool)
  await identity.observe([signIn(1, ana, null), signIn(1, ben, null)])
})

const signIn = (at: number, token: string, visitorId: string | null = browser): Observation =>
  observation(profile, at, { visitorId, isTrusted: !visitorId, identifiers: [{ type: 'email', token, value: null }] })
const openLink = (at: number, token: string, parts: Partial<Observation> = {}): Observation =>
  observation(profile, at, {
    visitorId: browser,
    isTrusted: false,
    linked: { token, evidence: evidenceOrder(at, 'link') },
    ...parts,
  })
const owner = async () =>
  (await pool.query('SELECT token FROM visitor_assignments WHERE profile_id = $1', [profile])).rows.map(
    ({ token }) => token,
  )
const told = async () => {
  const changes: string[] = []
  await identity.publishChanges(async (all) => {
    changes.push(...all.filter(({ profileId }) => profileId === profile).map(({ subjectId }) => subjectId))
  })
  return changes
}

describe('a link token', () => {
  it('gives an anonymous browser to the customer, whose map is told', async () => {
    await told()
    await identity.observe([openLink(10, ana)])
    expect(await owner()).toEqual([ana])
    expect(await told()).toEqual([browser])
  })

  it('never takes a browser away from somebody', async () => {
    await identity.observe([signIn(10, ben)])
    await identity.observe([openLink(20, ana)])
    expect(await owner()).toEqual([ben])
  })

  it.each([
    ['in order', (all: Observation[]) => all],
    ['the other way round', (all: Observation[]) => all.toReversed()],
  ])('gives a browser to whom it was opened for first, told %s', async (_, order) => {
    for (const one of order([openLink(10, ana), signIn(20, ben), openLink(30, ben)])) await identity.observe([one])
    expect(await owner()).toEqual([ana])
  })

  it('is nothing against a sign-in of the same hit', async () => {
    await identity.observe([openLink(10, ana, { identifiers: [{ type: 'email', token: ben, value: null }] })])
    expect(await owner()).toEqual([ben])
  })

  it('joins nobody', async () => {
    await identity.observe([openLink(10, ana), openLink(20, ben), signIn(30, ben)])
    const { rows } = await pool.query(
      'SELECT count(DISTINCT customer_id)::int AS n FROM identifiers WHERE profile_id = $1',
      [profile],
    )
    expect(rows[0].n).toBe(2)
  })

  it('of an erased customer gives nobody the browser, and leaves it to the next', async () => {
    await pool.query('UPDATE identifiers SET erasure_id = $3 WHERE profile_id = $1 AND token = $2', [
      profile,
      ana,
      randomUUID(),
    ])
    await identity.observe([openLink(10, ana)])
    expect(await owner()).toEqual([])
    await identity.observe([openLink(20, ana), openLink(30, ben), openLink(40, ana)])
    expect(await owner()).toEqual([ben])
  })

  it('of an identifier that nobody knows yet counts once it is known', async () => {
    const unknown = randomUUID()
    await identity.observe([openLink(10, unknown)])
    await told()
    await identity.observe([signIn(20, unknown, null)])
    expect((await told()).sort()).toEqual([browser, unknown].sort())
  })
})
