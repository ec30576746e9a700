import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { standingOutcomes } from '../../clickhouse/queries/standing-outcomes.ts'
import type { CustomerSelector } from '../../domain/customer-selectors.ts'
import { erasureSecrets } from '../../domain/erasures.ts'
import { evidenceOrder } from '../../domain/identity-graph.ts'
import { sealEntries } from '../../domain/sealed-person.ts'
import { vaultKeys } from '../../domain/sealing.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { asProfile } from '../../postgres/as-profile.ts'
import { erasedPayers } from '../../postgres/stores/erased-payers.ts'
import { type ErasureOutcome, eraseCustomer } from '../../postgres/stores/erasures.ts'
import { identityStore } from '../../postgres/stores/identity.ts'
import { assignPayer } from '../../postgres/stores/payment-actions.ts'
import { impersonalTables, personalCopies } from '../../postgres/stores/personal-copies.ts'
import { stageStore } from '../../postgres/stores/pipeline-stages.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import { finishErasures } from '../../processors/erasures.ts'
import type { FactDeps } from '../../processors/facts/deps.ts'
import { paymentsPipeline } from '../../processors/outcomes.ts'
import { paymentActionsPipeline } from '../../processors/payment-actions.ts'
import type { Pipeline } from '../../processors/runner/pipeline.ts'
import type { IdentifierType, Payment } from '../../schemas/messages.ts'
import { type FreshDatabase, freshDatabase } from '../fresh-database.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'
import { brokers, config } from '../kafka.ts'
import { createProfile, serverUrl } from '../profiles.ts'
import * as samples from '../schemas/samples.ts'
import { openProfile } from './attribution/world.ts'

const secrets = erasureSecrets(config.secret)
const ana = { external_customer_id: 'customer-1001', email: 'ana@example.com', phone: '+56987654321' }
const producer = connectProducer({ brokers })
let database: FreshDatabase
let warehouse: FreshWarehouse
let profile: string
let tokens: Record<string, string>
let version = 1n

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  warehouse = await freshWarehouse()
})
afterAll(async () => {
  await producer.close()
  await warehouse.drop()
  await database.drop()
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM profiles')
  profile = await createProfile(database.pool)
  tokens = await sayWho(ana)
})

const vault = () => postgresVault(database.pool, vaultKeys(config.secret), { timeoutMs: 20_000 })

async function sayWho(person: Partial<Record<IdentifierType, string>>): Promise<Record<string, string>> {
  const values = Object.entries(person).map(([type, value]) => ({ type: type as IdentifierType, value }))
  const entries = await vault().tokens(profile, values)
  await identityStore(database.pool).observe([
    {
      profileId: profile,
      evidence: evidenceOrder(Date.UTC(2026, 0, 1), randomUUID()),
      isTrusted: true,
      visitorId: null,
      identifiers: entries.map(({ type, token, value }) => ({ type, token, value })),
      firstName: 'Ana',
      lastName: null,
    },
  ])
  await identityStore(database.pool).publishChanges(async (changes) => {
    for (const { subjectId, customerId, version } of changes) {
      const row = { profile_id: profile, subject_id: subjectId, customer_id: customerId, version }
      await warehouse.insert('identity_map', [row])
    }
  })
  return Object.fromEntries(entries.map(({ type, token }) => [type, token]))
}

async function erase(
  requestRef = 'r',
  selector: CustomerSelector = { type: 'email', value: ana.email },
): Promise<string> {
  const outcome: ErasureOutcome = await asProfile(database.pool, profile, (tx) =>
    eraseCustomer(tx, secrets, profile, {
      requestRef,
      selector,
      reason: 'other',
      requestedBy: 'test',
    }),
  )
  if (outcome.kind !== 'erased') throw new Error(outcome.kind)
  return outcome.receipt.id
}

/** As the processors store what came in. */
async function take(pipelineOf: (deps: FactDeps) => Pipeline, ...sent: unknown[]): Promise<void> {
  const { pool } = database
  const stores = { identity: identityStore(pool), stages: stageStore(pool), erasedPayers: erasedPayers(pool) }
  const { topic, steps, sinks } = pipelineOf({ warehouse, producer, vault: vault(), ...stores })
  const place = { topic: topic.name, partition: 0, offset: 0n, key: '' }
  let batch = sent.map((value) => ({ ...place, timestamp: BigInt(Date.now()), version: version++, value }))
  for (const { run } of steps) {
    const outcomes = await run(batch)
    batch = batch.map((message, at) => {
      const outcome = outcomes[at]
      if (outcome?.kind !== 'ok') throw new Error(outcome?.why)
      return { ...message, value: outcome.value }
    })
  }
  for (const sink of sinks) await sink(batch)
}

const store = (...payments: Payment[]) => take(paymentsPipeline, ...payments)

/** As a merchant decides who made a payment, and as the processors take it in. */
async function assign(payment: string, payer: string | null): Promise<void> {
  const version = await asProfile(database.pool, profile, (tx) =>
    assignPayer(tx, { profileId: profile, paymentId: payment }, payer),
  )
  const value = { 'touchline.PayerAssignment': { subject_id: payer } }
  const action = { profile_id: profile, payment_id: payment, version, value }
  await take(paymentActionsPipeline, action)
}

async function nameSubjectRef(value: string): Promise<string> {
  const [entry] = await vault().tokens(profile, [{ type: 'subject_ref', value }])
  return entry!.token
}

const subjectRefs = () => rowsOf("SELECT token FROM vault WHERE type = 'subject_ref'")
const work = () => finishErasures({ postgres: database.pool, warehouse, secrets })
const again = () => database.pool.query('UPDATE erasure_audits SET next_attempt_at = now()')
const rowsOf = async (sql: string, values: unknown[] = []) => (await database.pool.query(sql, values)).rows
const audit = async (id: string) =>
  (
    await rowsOf(
      'SELECT a.*, e.completed_at FROM erasure_audits a JOIN erasures e ON e.id = a.erasure_id WHERE e.id = $1',
      [id],
    )
  )[0]

const places = (row: { result: { clickhouse: { found: { table: string; column: string }[] } } }) =>
  row.result.clickhouse.found.map(({ table, column }) => `${table}.${column}`)

describe('a payment of an erased customer that is told again without naming anybody', () => {
  const [before, after] = [Date.now() - 60_000, Date.now() + 3_600_000]
  const named = async () => ({
    ...samples.payment(profile),
    payment_id: randomUUID(),
    received_at: before,
    ...sealEntries(profile, await vault().tokens(profile, [{ type: 'email', value: ana.email }]), {}),
    subject_ref_token: await nameSubjectRef('pet-1'),
  })
  const nameless = (payment: Payment, received_at: number) => ({
    ...payment,
    received_at,
    identifiers: [],
    subject_ref_token: null,
  })
  const standing = async ({ payment_id }: Payment) =>
    (await warehouse.run(standingOutcomes, { profiles: [profile], outcomes: [payment_id] }))[0]

  it('stays theirs and whose it was for, also where a replay stores all in one go', async () => {
    const payments = [await named(), await named()] as const
    await store(payments[0])
    await erase()
    await store(nameless(payments[0], after))
    await store(payments[1], nameless(payments[1], after))
    for (const payment of payments) {
      const { subject_ref_token: subject_ref } = payment
      expect(await standing(payment)).toMatchObject({ subject_id: tokens.email, subject_ref })
    }
  })

  it('is nobody’s where that was told before the erasure, live and in a replay', async () => {
    const [payment, again] = [await named(), await named()]
    await store(payment)
    await store(nameless(payment, before + 1))
    await erase()
    await store(again, nameless(again, before + 1), nameless(again, after))
    for (const one of [payment, again]) {
      expect(await standing(one)).toMatchObject({ subject_id: one.payment_id, subject_ref: null })
    }
  })

  it('is nobody’s as always where nobody was erased', async () => {
    const payment = await named()
    await store(payment)
    await store(nameless(payment, after))
    expect(await standing(payment)).toMatchObject({ subject_id: payment.payment_id, subject_ref: null })
  })
})

describe('the background of an erasure', () => {
  it('searches every store, says so on the audit row, forgets what it looked for, and is done', async () => {
    const id = await erase()
    expect(await audit(id)).toMatchObject({ search: expect.any(Buffer), completed_at: null, result: null })
    expect(await work()).toEqual({ hasMore: true })
    const row = await audit(id)
    expect(row).toMatchObject({
      search: null,
      attempts: 1,
      completed_at: expect.any(Date),
      checked_at: expect.any(Date),
    })
    expect(row.result).toMatchObject({
      identifiers: 3,
      came_back: 0,
      topics: { tokens: 3, still_open: 0 },
      postgres: { found: [] },
      clickhouse: { found: [] },
    })
    expect(row.result.postgres.columns).toBeGreaterThan(20)
    expect(row.result.clickhouse.columns).toBeGreaterThan(20)
    expect(JSON.stringify(row)).not.toContain('ana@')
    expect(await work()).toEqual({ hasMore: false })
  })

  it('keeps what it looks for sealed while it waits', async () => {
    const { search } = await audit(await erase())
    expect(search.includes('ana@example.com')).toBe(false)
  })

  it.each([
    ['an identifier', 'write to Ana@Example.com, please'],
    ['its hash', createHash('sha256').update('56987654321').digest('hex')],
  ])('stays queued as long as %s is found, and is done once it is gone', async (_, text) => {
    await database.pool.query("INSERT INTO lifecycle_events (profile_id, type, data) VALUES ($1, 'x', $2)", [
      profile,
      { note: text },
    ])
    const id = await erase()
    await work()
    expect(await audit(id)).toMatchObject({
      completed_at: null,
      search: expect.any(Buffer),
      result: { postgres: { found: [{ table: 'lifecycle_events', column: 'data', rows: 1 }] } },
    })
    expect(await work()).toEqual({ hasMore: false })
    await database.pool.query('DELETE FROM lifecycle_events')
    await again()
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date), attempts: 2, search: null })
  })

  it.each([
    ['a longer address', 'juana@example.com'],
    ['another profile', 'ana@example.com'],
  ])('is not stopped by %s', async (what, text) => {
    const owner = what === 'another profile' ? await createProfile(database.pool) : profile
    await database.pool.query('INSERT INTO lifecycle_events (profile_id, type) VALUES ($1, $2)', [owner, text])
    const id = await erase()
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date) })
  })

  it('finds hashes that are kept as bytes', async () => {
    const id = await erase()
    await database.pool.query("INSERT INTO api_keys (id, profile_id, secret_hash, scopes) VALUES ('k', $1, $2, '{}')", [
      profile,
      createHash('sha256').update('ana@example.com').digest(),
    ])
    await work()
    expect((await audit(id)).result.postgres.found).toEqual([{ table: 'api_keys', column: 'secret_hash', rows: 1 }])
  })

  it('takes what it finds in free texts out of the warehouse, and is done', async () => {
    const world = await openProfile(warehouse, { profile })
    const hit = await world.hit(randomUUID(), Date.UTC(2026, 0, 1), { utm: { term: 'ana@example.com' } })
    const id = await erase()
    await work()
    expect(await audit(id)).toMatchObject({
      completed_at: expect.any(Date),
      search: null,
      result: { clickhouse: { found: [] }, rewritten: 1 },
    })
    expect(await warehouse.rows(`SELECT utm FROM hits WHERE event_id = '${hit}'`)).toEqual([
      { utm: { term: '[erased]' } },
    ])
  })

  it('waits where a name of the merchant’s own lists holds an identifier, and says where', async () => {
    const world = await openProfile(warehouse, { profile })
    await world.stage('customer-1001', 'lead_created')
    const hit = await world.hit(randomUUID(), Date.UTC(2026, 0, 1), { utm: { term: 'customer-1001' } })
    const id = await erase()
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: null })
    expect(places(await audit(id))).toEqual([
      'hits.signature',
      'hits.utm',
      'pipeline_stages.stage_id',
      'pipeline_stages.name',
    ])
    expect(await warehouse.rows(`SELECT utm FROM hits WHERE event_id = '${hit}'`)).toEqual([
      { utm: { term: 'customer-1001' } },
    ])
  })

  it('takes a value that came back for somebody else’s', async () => {
    const id = await erase()
    await sayWho({ email: ana.email })
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date), result: { came_back: 1 } })
  })

  it('takes a value that somebody else holds as another kind of identifier for theirs', async () => {
    const key = 'ben@example.com'
    await sayWho({ email: key })
    await sayWho({ external_customer_id: key, store_customer_id: 'store-10010010' })
    const id = await erase('r', { type: 'external_customer_id', value: key })
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date), result: { came_back: 1 } })
    const held = await rowsOf("SELECT value FROM identifiers WHERE type = 'email' AND value IS NOT NULL ORDER BY value")
    expect(held).toEqual([{ value: ana.email }, { value: key }])
  })

  it('is not stopped by a request_ref that holds the customer’s key, which the receipt keeps as well', async () => {
    const id = await erase('dsr:customer-1001')
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date), result: { postgres: { found: [] } } })
  })

  it('destroys the way to who payments were for, unless others paid for the same', async () => {
    const world = await openProfile(warehouse, { profile })
    const [own, shared] = await vault().tokens(profile, [
      { type: 'subject_ref', value: 'pet-1' },
      { type: 'subject_ref', value: 'pet-2' },
    ])
    await world.outcome(tokens.external_customer_id!, Date.UTC(2026, 0, 2), { subjectRef: own!.token })
    await world.outcome(tokens.external_customer_id!, Date.UTC(2026, 0, 3), { subjectRef: shared!.token })
    await world.outcome(randomUUID(), Date.UTC(2026, 0, 4), { subjectRef: shared!.token })
    await erase()
    await work()
    expect(await rowsOf("SELECT token FROM vault WHERE type = 'subject_ref'")).toEqual([{ token: shared!.token }])
  })

  it('destroys it for a payment that is stored after the erasure was finished as well', async () => {
    const [own, shared] = await vault().tokens(profile, [
      { type: 'subject_ref', value: 'pet-1' },
      { type: 'subject_ref', value: 'pet-2' },
    ])
    const world = await openProfile(warehouse, { profile })
    await world.outcome(randomUUID(), Date.UTC(2026, 0, 4), { subjectRef: shared!.token })
    const id = await erase()
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date) })
    const erased = { type: 'email' as const, token: tokens.email!, sealed: Buffer.from('unreadable') }
    for (const { token } of [own!, shared!]) {
      await store({ ...samples.payment(profile), identifiers: [erased], traits: null, subject_ref_token: token })
    }
    expect(await rowsOf("SELECT token FROM vault WHERE type = 'subject_ref'")).toEqual([{ token: shared!.token }])
  })

  it('destroys it with the customer that a payment was assigned to', async () => {
    const world = await openProfile(warehouse, { profile })
    const subjectRef = await nameSubjectRef('pet-1')
    const payment = await world.outcome(randomUUID(), Date.UTC(2026, 0, 2), { subjectRef })
    await assign(payment, tokens.email!)
    await erase()
    await work()
    expect(await subjectRefs()).toEqual([])
  })

  it('leaves it to the customer that a payment was assigned to, and destroys it with that one', async () => {
    const world = await openProfile(warehouse, { profile })
    const bea = await sayWho({ email: 'bea@example.com' })
    const subjectRef = await nameSubjectRef('pet-1')
    const payment = await world.outcome(tokens.email!, Date.UTC(2026, 0, 2), { subjectRef })
    await assign(payment, bea.email!)
    await erase()
    await work()
    expect(await subjectRefs()).toEqual([{ token: subjectRef }])
    await erase('of Bea', { type: 'email', value: 'bea@example.com' })
    await work()
    expect(await subjectRefs()).toEqual([])
  })

  it('destroys it with the last of several customers that it is of', async () => {
    const world = await openProfile(warehouse, { profile })
    const bea = await sayWho({ email: 'bea@example.com' })
    const subjectRef = await nameSubjectRef('pet-1')
    for (const payer of [tokens.email!, bea.email!]) await world.outcome(payer, Date.UTC(2026, 0, 2), { subjectRef })
    await erase()
    await work()
    expect(await subjectRefs()).toEqual([{ token: subjectRef }])
    await erase('of Bea', { type: 'email', value: 'bea@example.com' })
    await work()
    expect(await subjectRefs()).toEqual([])
  })

  it('destroys it for a payment that is assigned to whom its sender named again, who was erased meanwhile', async () => {
    const world = await openProfile(warehouse, { profile })
    const bea = await sayWho({ email: 'bea@example.com' })
    const subjectRef = await nameSubjectRef('pet-1')
    const payment = await world.outcome(tokens.email!, Date.UTC(2026, 0, 2), { subjectRef })
    await assign(payment, bea.email!)
    await erase()
    await work()
    await assign(payment, null)
    expect(await subjectRefs()).toEqual([])
  })

  it('destroys it when the assignment is processed after the erasure was finished', async () => {
    const world = await openProfile(warehouse, { profile })
    const subjectRef = await nameSubjectRef('pet-1')
    const payment = await world.outcome(randomUUID(), Date.UTC(2026, 0, 2), { subjectRef })
    await erase()
    await work()
    expect(await subjectRefs()).toEqual([{ token: subjectRef }])
    await assign(payment, tokens.email!)
    expect(await subjectRefs()).toEqual([])
  })

  it('destroys it when an assigned payment is told again after the erasure was finished', async () => {
    const sent = { ...samples.payment(profile), identifiers: [], traits: null, subject_ref_token: null }
    await store(sent)
    await assign(sent.payment_id, tokens.email!)
    await erase()
    await work()
    await store({ ...sent, subject_ref_token: await nameSubjectRef('pet-1') })
    expect(await subjectRefs()).toEqual([])
  })

  it('waits for the identity map to reach the warehouse', async () => {
    const id = await erase()
    await database.pool.query(
      'INSERT INTO identity_changes (profile_id, subject_id, customer_id) VALUES ($1, $2, $2)',
      [profile, tokens.email],
    )
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: null, result: null })
    await database.pool.query('DELETE FROM identity_changes')
    await again()
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date) })
  })

  it('is tried again later when a store was away', async () => {
    const id = await erase()
    const broken = { ...warehouse, run: () => Promise.reject(new Error('away')) }
    await finishErasures({ postgres: database.pool, warehouse: broken as never, secrets })
    expect(await audit(id)).toMatchObject({ completed_at: null, search: expect.any(Buffer) })
    expect(await work()).toEqual({ hasMore: false })
    await again()
    await work()
    expect(await audit(id)).toMatchObject({ completed_at: expect.any(Date), attempts: 2 })
  })

  it('serves several of a profile in one pass, and lets none wait for another’s find', async () => {
    await sayWho({ email: 'ben@example.com' })
    const [first, second] = [await erase('a'), await erase('b', { type: 'email', value: 'ben@example.com' })]
    await database.pool.query("INSERT INTO lifecycle_events (profile_id, type) VALUES ($1, 'ben@example.com')", [
      profile,
    ])
    await work()
    expect((await audit(first)).completed_at).toEqual(expect.any(Date))
    expect((await audit(second)).completed_at).toBeNull()
  })
})

it('every table that names a customer is erased with it, or is known to hold nothing personal', async () => {
  const tables = await rowsOf(
    `SELECT DISTINCT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND a.attname IN ('customer_id', 'customer_profile_id') AND NOT a.attisdropped`,
  )
  const decided = [...impersonalTables, ...personalCopies.map(({ table }) => table)]
  expect(tables.map(({ name }) => name).filter((name) => !decided.includes(name))).toEqual([])
})
