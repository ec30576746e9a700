import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seal, sealingContext, vaultKeys } from '../../../domain/sealing.ts'
import { connectProducer } from '../../../infra/kafka/producer.ts'
import { erasedPayers } from '../../../postgres/stores/erased-payers.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { stageStore } from '../../../postgres/stores/pipeline-stages.ts'
import { postgresVault, type Vault } from '../../../postgres/stores/vault.ts'
import { dirtyCustomersPipeline } from '../../../processors/dirty-customers.ts'
import type { FactDeps } from '../../../processors/facts/deps.ts'
import { rawPipelines } from '../../../processors/raw-pipelines.ts'
import type { Pipeline } from '../../../processors/runner/pipeline.ts'
import { run } from '../../../processors/runner/run.ts'
import { type Codec, ownCodec } from '../../../schemas/codec.ts'
import type { Identifier } from '../../../schemas/messages.ts'
import { groupOf, type Topic, topics } from '../../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { brokers, committed, config, createTopics, rejectedOf, until } from '../../kafka.ts'
import { createProfile } from '../../profiles.ts'
import * as samples from '../../schemas/samples.ts'

const now = Date.now()
const day = 86_400_000
let profile: string
let warehouse: FreshWarehouse
let database: FreshDatabase
let vault: Vault
const producer = connectProducer({ brokers })

beforeAll(async () => {
  warehouse = await freshWarehouse()
  database = await freshDatabase(config.databaseUrl)
  profile = await createProfile(database.pool)
  vault = postgresVault(database.pool, vaultKeys(config.secret), { timeoutMs: 20_000 })
  await createTopics(Object.values(topics) as Topic<never>[])
})
afterAll(async () => {
  await producer.close()
  await warehouse.drop()
  await database.drop()
})

/** Puts bytes on a topic of their own and runs the topic's pipeline over them; says why each was rejected, by offset. */
async function feed<Value>(topic: Topic<Value>, messages: (Buffer | Value)[]): Promise<Record<number, string>> {
  const own = { ...topic, name: `test-${topic.name}-${randomUUID()}`, partitions: 1 }
  const known = <Any>(any: Topic<Any>) => (any.name === own.name ? { ...any, name: topic.name } : any)
  const codec: Codec = {
    encode: (any, value) => ownCodec.encode(known(any), value),
    decode: (any, bytes) => ownCodec.decode(known(any), bytes),
  }
  await createTopics([own as Topic<never>])
  for (const one of messages) {
    const value = Buffer.isBuffer(one) ? one : ownCodec.encode(topic, one as Value)
    await producer.sendRaw([{ topic: own.name, key: 'k', value }])
  }
  const deps: FactDeps = {
    warehouse,
    producer,
    vault,
    identity: identityStore(database.pool),
    stages: stageStore(database.pool),
    erasedPayers: erasedPayers(database.pool),
  }
  const pipeline = [...rawPipelines(deps), dirtyCustomersPipeline({ warehouse })].find(
    (one) => one.topic.name === topic.name,
  )!
  const chain: Pipeline = { ...pipeline, name: own.name, topic: own as Topic<unknown> }
  const retry = { firstMs: 10, maxAttempts: 2 }
  const running = run([chain], { brokers, producer, codec, seal: (bytes) => bytes, retry })
  const isDone = async () => (await committed(groupOf(own.name), own.name)) === BigInt(messages.length)
  await Promise.race([until(isDone), running.done])
  await running.stop()
  expect(await isDone()).toBe(true)
  const bad = (await rejectedOf(own.name, 1)).map(({ offset, reason }) => [offset, reason])
  return Object.fromEntries(bad)
}

/** A hit that the tables hold; what is wrong with it is given. */
const visit = (fields: object = {}, hit: object = {}) => {
  const sample = samples.visit(profile)
  const plain = { event_time: now, amount_minor: 1, identifiers: [], traits: null, linked_token: null }
  return { ...sample, received_at: now, hits: [{ ...sample.hits[0]!, ...plain, ...hit }], ...fields }
}
const event = (fields: object = {}) => ({
  ...samples.serverEvent(profile),
  occurred_at: now,
  received_at: now,
  amount_minor: 1,
  identifiers: [],
  traits: null,
  ...fields,
})

async function email(sealed: (key: Buffer, context: string) => Buffer): Promise<Identifier> {
  const [entry] = await vault.tokens(profile, [{ type: 'email', value: `${randomUUID()}@example.com` }])
  const { token, key } = entry!
  return { type: 'email', token, sealed: sealed(key, sealingContext(profile, token, 'value')) }
}

/** Avro's variable-length number, of any size. */
function varint(value: bigint): Buffer {
  const bytes: number[] = []
  for (let rest = value << 1n; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) | 128)
  }
}
function replaced(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const at = bytes.indexOf(from)
  expect(at).toBeGreaterThan(0)
  return Buffer.concat([bytes.subarray(0, at), to, bytes.subarray(at + from.length)])
}

const known = 1_234_567_890_123
const count = async (table: string, where: string) => {
  const [row] = await warehouse.rows<{ n: string }>(`SELECT count() AS n FROM ${table} FINAL WHERE ${where}`)
  return Number(row!.n)
}

test('visits that no table could hold are rejected, each with its reason, and stop none of the others', async () => {
  const [before, after, odd] = [visit(), visit(), visit()]
  odd.hits[0]!.event_name = 'ODDTEXT'
  const oddBytes = replaced(
    ownCodec.encode(topics.visits, odd),
    Buffer.from('ODDTEXT'),
    Buffer.from('a\xff\xfe\x00\xc3\x28z', 'latin1'),
  )
  const withAmount = ownCodec.encode(topics.visits, visit({}, { amount_minor: known }))
  const good = await email((key, context) => seal(key, context, 'ana@example.com'))
  const identified = visit({}, { identifiers: [good] })
  const messages: [Buffer | ReturnType<typeof visit>, string?][] = [
    [before],
    [Buffer.alloc(0), 'undecodable'],
    [Buffer.from('{"not":"avro"}'), 'undecodable'],
    [Buffer.from([0, 0, 0, 0x27, 0x0f, 1, 2, 3]), 'undecodable'],
    [ownCodec.encode(topics.events, event()), 'undecodable'],
    [ownCodec.encode(topics.visits, visit()).subarray(0, 60), 'undecodable'],
    [replaced(withAmount, varint(BigInt(known)), varint(2n ** 62n)), 'undecodable'],
    [replaced(withAmount, varint(BigInt(known)), varint(2n ** 70n)), 'undecodable'],
    [visit({ profile_id: 'not-a-profile' }), 'invalid_message'],
    [visit({ visitor_id: '' }), 'invalid_message'],
    [visit({ received_at: 8.64e15 }), 'invalid_message'],
    [visit({}, { event_id: "x'; DROP TABLE hits" }), 'invalid_message'],
    [visit({}, { event_time: 9e15 }), 'invalid_message'],
    [visit({}, { event_time: -1e15 }), 'invalid_message'],
    [visit({}, { event_time: Date.UTC(2300, 0, 1) }), 'invalid_message'],
    [visit({}, { event_time: 0 }), 'invalid_message'],
    [visit({}, { amount_minor: -1 }), 'invalid_message'],
    [visit({}, { currency: 'ZZZ' }), 'invalid_message'],
    [visit({}, { amount_minor: 5, currency: null }), 'invalid_message'],
    [visit({}, { linked_token: 'x' }), 'invalid_message'],
    [visit({}, { identifiers: [{ type: 'email', token: 'x', sealed: Buffer.alloc(40) }] }), 'invalid_message'],
    [visit({}, { identifiers: [await email(() => Buffer.alloc(64))] }), 'broken_seal'],
    [visit({}, { identifiers: [await email((key) => seal(key, 'elsewhere', 'ana@example.com'))] }), 'broken_seal'],
    [
      visit({}, { identifiers: [await email((key, context) => seal(key, context, 'a\0b@example.com'))] }),
      'broken_seal',
    ],
    [oddBytes],
    [
      visit(
        {},
        { event_name: 'x'.repeat(200_000), url: '\u0000', path: '🦄', referrer: 'http://[', utm: { '': '\u0000' } },
      ),
    ],
    [visit({ hits: [] })],
    [visit({ profile_id: randomUUID() }, { identifiers: [{ ...good, token: randomUUID() }] })],
    [identified],
    [after],
  ]
  const expected = messages.flatMap(([, why], offset) => (why ? [[offset, why]] : []))
  expect(
    await feed(
      topics.visits,
      messages.map(([message]) => message),
    ),
  ).toEqual(Object.fromEntries(expected))
  for (const one of [before, after, odd, identified]) {
    expect(await count('hits', `subject_id = '${one.visitor_id}'`)).toBe(1)
  }
  const { rows } = await database.pool.query('SELECT 1 FROM identifiers WHERE profile_id = $1', [profile])
  expect(rows).toHaveLength(1)
})

test('so are events', async () => {
  const [before, after] = [event(), event()]
  const messages: [Buffer | ReturnType<typeof event>, string?][] = [
    [before],
    [Buffer.from([0, 0, 0, 0, 2]), 'undecodable'],
    [event({ occurred_at: 8.64e15 }), 'invalid_message'],
    [event({ occurred_at: now - 30 * 366 * day }), 'invalid_message'],
    [event({ outcome_event_id: 'x' }), 'invalid_message'],
    [event({ visitor_id: 'x' }), 'invalid_message'],
    [event({ subject_ref_token: 'maria' }), 'invalid_message'],
    [event({ amount_minor: -5 }), 'invalid_message'],
    [event({ currency: 'usd' }), 'invalid_message'],
    [event({ event_type: '\u0000', amount_minor: Number.MAX_SAFE_INTEGER - 1 })],
    [after],
  ]
  const expected = messages.flatMap(([, why], offset) => (why ? [[offset, why]] : []))
  expect(
    await feed(
      topics.events,
      messages.map(([message]) => message),
    ),
  ).toEqual(Object.fromEntries(expected))
  for (const { outcome_event_id } of [before, after]) {
    expect(await count('outcomes', `outcome_id = '${outcome_event_id}'`)).toBe(1)
  }
})

test('so is ad delivery, of which a hundred distant quarters in one batch would be refused as a whole', async () => {
  const today = Math.floor(now / day)
  const delivery = (fields: object = {}) => ({
    ...samples.adDelivery(profile),
    date: today,
    received_at: now,
    ...fields,
  })
  const messages = [
    delivery({ date: 1_000_000 }),
    delivery({ date: -1 }),
    delivery({ impressions: -1 }),
    delivery({ currency: '' }),
    ...Array.from({ length: 150 }, (_, quarter) =>
      delivery({ ad_external_id: `q${quarter}`, date: today - 91 * quarter }),
    ),
  ]
  const rejected = await feed(topics.adDelivery, messages)
  expect(rejected).toMatchObject({
    0: 'invalid_message',
    1: 'invalid_message',
    2: 'invalid_message',
    3: 'invalid_message',
  })
  expect(await count('ad_delivery', `profile_id = '${profile}'`)).toBe(messages.length - Object.keys(rejected).length)
  expect(Object.keys(rejected).length).toBeLessThan(80)
})

test('so are settings and dirty customers', async () => {
  const setting = (profileSetting: object, fields: object = {}) => ({
    profile_id: profile,
    version: 1,
    value: {
      'touchline.ProfileSetting': { reporting_currency: 'USD', timezone: 'America/Santiago', ...profileSetting },
    },
    ...fields,
  })
  expect(
    await feed(topics.settings, [
      setting({ timezone: 'Mars/Olympus' }),
      setting({ timezone: 'america/santiago' }),
      setting({ reporting_currency: 'BTC' }),
      setting({}, { profile_id: 'x' }),
      setting({}),
    ]),
  ).toEqual({ 0: 'invalid_message', 1: 'invalid_message', 2: 'invalid_message', 3: 'invalid_message' })
  expect(
    await feed(topics.dirtyCustomers, [
      { profile_id: profile, subject_ids: ['x'] },
      { profile_id: 'x', subject_ids: [] },
      { profile_id: profile, subject_ids: [randomUUID()] },
    ]),
  ).toEqual({ 0: 'invalid_message', 1: 'invalid_message' })
})
