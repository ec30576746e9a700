import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seal, sealingContext, vaultKeys } from '../../domain/sealing.ts'
import { identityStore, type Observation } from '../../postgres/stores/identity.ts'
import { postgresVault, type Vault } from '../../postgres/stores/vault.ts'
import { type Message, versionOf } from '../../processors/runner/pipeline.ts'
import { visitsPipeline } from '../../processors/visits.ts'
import type { Hit, VisitBatch } from '../../schemas/messages.ts'
import { config } from '../kafka.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import * as samples from '../schemas/samples.ts'

let pool: pg.Pool
let vault: Vault
let profile: string
const now = Date.now()
const minute = 60_000

beforeAll(async () => {
  pool = await openPostgres()
  vault = postgresVault(pool, vaultKeys(config.secret), { timeoutMs: 20_000 })
  profile = await createProfile(pool)
})
afterAll(() => pool.end())

/** A request of one browser: when it came, and what its only hit claims. */
interface Said {
  received: number
  claimed: number
  signsIn?: string
  opens?: string
}

async function tokenOf(person: string): Promise<{ token: string; key: Buffer }> {
  const [entry] = await vault.tokens(profile, [{ type: 'email', value: `${person}@example.com` }])
  return entry!
}

async function batchOf(visitor: string, { received, claimed, signsIn, opens }: Said): Promise<VisitBatch> {
  const sample = samples.visit(profile, visitor)
  const owner = signsIn ? await tokenOf(signsIn) : undefined
  const hit: Hit = {
    ...sample.hits[0]!,
    event_time: claimed,
    traits: null,
    identifiers: owner
      ? [
          {
            type: 'email',
            token: owner.token,
            sealed: seal(owner.key, sealingContext(profile, owner.token, 'value'), `${signsIn}@example.com`),
          },
        ]
      : [],
    linked_token: opens ? (await tokenOf(opens)).token : null,
  }
  return { ...sample, received_at: received, hits: [hit] }
}

/** What the pipeline makes of a batch, taken in as its sink does. */
async function take(visits: VisitBatch[]): Promise<void> {
  const { steps } = visitsPipeline({ vault, identity: identityStore(pool) } as never)
  let batch = visits.map((value, n): Message<unknown> => {
    const timestamp = BigInt(value.received_at)
    const place = { topic: 'visits', partition: 0, offset: BigInt(n), timestamp, version: versionOf(timestamp, 0n) }
    return { ...place, key: value.visitor_id, value }
  })
  for (const { run } of steps) {
    const outcomes = await run(batch)
    batch = batch.map((message, n) => {
      const outcome = outcomes[n]!
      if (outcome.kind !== 'ok') throw new Error(outcome.why)
      return { ...message, value: outcome.value }
    })
  }
  const observations = batch.flatMap(({ value }) => (value as { observations: Observation[] }).observations)
  await identityStore(pool).observe(observations)
}

async function ownerOf(visitor: string): Promise<string | undefined> {
  const { rows } = await pool.query('SELECT token FROM visitor_assignments WHERE profile_id = $1 AND visitor_id = $2', [
    profile,
    visitor,
  ])
  return rows[0]?.token
}

const orders = [
  ['in order', <T>(all: T[]) => all],
  ['the other way round', <T>(all: T[]) => all.toReversed()],
] as const

async function ownerAfter(said: Said[], order: (all: VisitBatch[]) => VisitBatch[] = (all) => all) {
  const visitor = randomUUID()
  const visits = await Promise.all(said.map((one) => batchOf(visitor, one)))
  for (const visit of order(visits)) await take([visit])
  return ownerOf(visitor)
}

describe('a link token in a browser that somebody signed in to', () => {
  it.each(orders)('takes it from nobody, however early the hit claims to be, told %s', async (_, order) => {
    const owner = await ownerAfter(
      [
        { received: now - 10 * minute, claimed: now - 10 * minute, signsIn: 'ben' },
        { received: now, claimed: now - 100 * minute, opens: 'ana' },
      ],
      order,
    )
    expect(owner).toBe((await tokenOf('ben')).token)
  })

  it.each(orders)('takes it from nobody whose clock was ahead, told %s', async (_, order) => {
    const owner = await ownerAfter(
      [
        { received: now - 2 * minute, claimed: now + 2 * minute, signsIn: 'ben' },
        { received: now, claimed: now, opens: 'ana' },
      ],
      order,
    )
    expect(owner).toBe((await tokenOf('ben')).token)
  })

  it('yields to the sign-in of the same instant, whatever their ids', async () => {
    const ben = (await tokenOf('ben')).token
    for (let n = 0; n < 8; n++) {
      const said = [
        { received: now, claimed: now, opens: 'ana' },
        { received: now, claimed: now, signsIn: 'ben' },
      ]
      expect(await ownerAfter(said)).toBe(ben)
    }
  })
})

it('a browser ends with the same customer in any order and any batches, and no token takes it from who signed in before', async () => {
  const person = fc.constantFrom('ana', 'ben', 'cleo')
  const said = fc.record({ claim: fc.integer({ min: -50, max: 3 }), person, isToken: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 6 }), fc.gen(), async (history, gen) => {
      const all = history.map(({ claim, person, isToken }, n): Said => {
        const received = now + n * minute
        return { received, claimed: received + claim * minute, [isToken ? 'opens' : 'signsIn']: person }
      })
      const [inOrder, shuffled] = [randomUUID(), randomUUID()]
      const visits = await Promise.all(all.map((one) => batchOf(inOrder, one)))
      for (const [n, visit] of visits.entries()) {
        const before = await ownerOf(inOrder)
        await take([visit])
        if (all[n]!.opens && before) expect(await ownerOf(inOrder)).toBe(before)
      }
      const again = visits.map((visit) => ({ ...visit, visitor_id: shuffled }))
      const mixed = gen(fc.shuffledSubarray, again, { minLength: again.length })
      const cut = gen(fc.nat, mixed.length)
      for (const some of [mixed.slice(0, cut), mixed.slice(cut)]) await take(some)
      expect(await ownerOf(shuffled)).toBe(await ownerOf(inOrder))
    }),
    { numRuns: 40 },
  )
})
