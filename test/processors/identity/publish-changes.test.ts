import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { publishingIdentity } from '../../../processors/identity/publish-changes.ts'
import { collectMarks } from '../../../processors/replay/marks.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { named, observation } from '../../observations.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

let database: FreshDatabase
let warehouse: FreshWarehouse

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  warehouse = await freshWarehouse()
})
afterAll(async () => {
  await warehouse.drop()
  await database.drop()
})

/** Takes people in, each known by one e-mail, and says whose customers are to be derived again. */
async function marksOf(profile: string, tokens: string[]): Promise<Set<string>> {
  const { producer, take } = collectMarks()
  const identity = publishingIdentity({ identity: identityStore(database.pool), warehouse, producer })
  await identity.observe(tokens.map((token, at) => named(profile, at, { [token]: 'email' })))
  return (take().get(profile) ?? new Set()) as Set<string>
}

const newTokens = (count: number) => Array.from({ length: count }, () => randomUUID())

describe('changes of the identity map', () => {
  it.each([
    ['an import', 600],
    ['more than one question holds', 7_000],
  ])('mark those of %s who came by or bought, and nobody who has nothing to be derived from', async (_, count) => {
    const profile = await createProfile(database.pool)
    const tokens = newTokens(count)
    const [visited, elsewhere] = tokens as [string, string]
    const bought = [tokens[2]!, tokens[count / 2]!, tokens.at(-1)!]
    const outcome = () => ({ outcome_id: randomUUID(), conversion_id: randomUUID(), version: '1' })
    const browser = randomUUID()
    await identityStore(database.pool).observe([
      observation(profile, 0, { visitorId: browser, identifiers: [{ type: 'email', token: visited, value: null }] }),
    ])
    await warehouse.insert('outcomes', [
      ...bought.map((subject) => ({ ...outcome(), profile_id: profile, subject_id: subject })),
      { ...outcome(), profile_id: randomUUID(), subject_id: elsewhere },
    ])
    expect(await marksOf(profile, tokens)).toEqual(new Set([browser, ...bought]))
    const [{ known }] = (await warehouse.rows<{ known: string }>(
      `SELECT uniqExact(subject_id) AS known FROM identity_map WHERE profile_id = '${profile}'`,
    )) as [{ known: string }]
    expect(Number(known)).toBe(tokens.length + 1)
  })

  it('mark among many also who lost a browser, and bought under another identifier', async () => {
    const profile = await createProfile(database.pool)
    const [ana, bob, browser] = newTokens(3) as [string, string, string]
    const seenIn = (token: string, at: number) =>
      observation(profile, at, { visitorId: browser, identifiers: [{ type: 'email', token, value: null }] })
    await identityStore(database.pool).observe([seenIn(ana, 20)])
    await identityStore(database.pool).observe([seenIn(bob, 10)])
    expect(await marksOf(profile, newTokens(600))).toEqual(new Set([browser, ana]))
  })

  it('mark a few without a look', async () => {
    const profile = await createProfile(database.pool)
    const tokens = newTokens(3)
    expect(await marksOf(profile, tokens)).toEqual(new Set(tokens))
  })
})
