import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ids } from '../../domain/ids.ts'
import { apiKeyAuthentication, buildApp, mount, onceWithKey } from '../../http/app.ts'
import { connectProducer, type Producer } from '../../infra/kafka/producer.ts'
import { postEvent, postEvents } from '../../ingest/server-events.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { topics } from '../../schemas/topics.ts'
import { openWorld, type World } from './world.ts'

let world: World
let app: FastifyInstance
let key: string

const serve = (producer: Producer) =>
  buildApp({
    baseUrl: 'http://localhost',
    logger: pino({ level: 'silent' }),
    authenticate: apiKeyAuthentication(world.pool),
    once: onceWithKey(world.pool, randomBytes(32)),
    mounts: [
      mount([postEvent, postEvents], { producer, vault: world.vault, metrics: world.deps.metrics }, [
        'kafka',
        'postgres',
      ]),
    ],
  })

beforeEach(async () => {
  world = await openWorld({ currency: 'CLP' })
  app = await serve(world.producer)
  key = (await createApiKey(world.pool, { profileId: world.profile, scopes: ['attribution:write'] })).key
})
afterEach(async () => {
  await app.close()
  await world.close()
})

const send = (payload: unknown, to = app, headers: Record<string, string> = {}) =>
  to.inject({
    method: 'POST',
    url: '/api/v1/events',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })

const paid = (fields: object = {}) => ({
  event_type: 'payment_received',
  idempotency_key: 'order-1',
  properties: { value: 45_990, currency: 'CLP' },
  ...fields,
})

describe('a customer’s number', () => {
  const named = (external_id: string) => `{"event_type":"lead","user_traits":{"external_id":${external_id}}}`

  test('is taken as it is', async () => {
    expect((await send(named('9007199254740991'))).statusCode).toBe(202)
    const [message] = await world.received(topics.events, 1)
    expect(await world.reveal('value', message!.value.identifiers[0]!)).toBe('9007199254740991')
  })

  test.each(['9007199254740993', '1.5', '1e400'])(
    'is refused where it would be read as another: %s',
    async (number) => {
      const answer = await send(named(number))
      expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'validation_error'])
      expect(answer.json().error.message).toContain('must be text')
    },
  )
})

describe('an accepted event', () => {
  test('answers with its id and is one message', async () => {
    const occurred_at = new Date(Date.now() - 86_400_000).toISOString()
    const answer = await send(
      paid({
        event_name: 'Paid',
        occurred_at,
        user_traits: {
          phone: '+56 9 8765 4321',
          external_id: 'C-1',
          email: 'ana@example.com',
          first_name: 'Ana',
          country: 'cl',
        },
        action_source: 'physical_store',
        click_ids: { ctwa_clid: 'CT1', gclid: 'G1', note: 'x' },
        visitor_id: 'v-1',
        campaign_id: 1201,
        ad_set_id: '1202',
        ad_id: '1203',
      }),
    )
    const id = ids.serverEvent(world.profile, 'order-1')
    expect(answer.statusCode).toBe(202)
    expect(answer.json()).toEqual({ data: { outcome_event_id: id }, meta: { profile_id: world.profile } })
    const [message] = await world.received(topics.events, 1)
    expect(message!.value).toMatchObject({
      outcome_event_id: id,
      event_type: 'payment_received',
      event_name: 'Paid',
      occurred_at: Date.parse(occurred_at),
      is_clamped: false,
      amount_minor: 45_990,
      currency: 'CLP',
      action_source: 'physical_store',
      click_ids: { ctwa_clid: 'CT1', gclid: 'G1' },
      campaign_ref: '1201',
      ad_set_ref: '1202',
      ad_ref: '1203',
      visitor_id: ids.visitor(world.profile, 'v-1'),
      subject_ref_token: null,
      country: 'CL',
    })
    const { identifiers, traits } = message!.value
    expect(await Promise.all(identifiers.map((one) => world.reveal('value', one)))).toEqual([
      'C-1',
      'ana@example.com',
      '+56987654321',
    ])
    expect(JSON.parse(await world.reveal('traits', traits!))).toEqual({ first_name: 'Ana' })
    for (const personal of ['example.com', '87654321', 'Ana', 'order-1', 'v-1']) {
      expect(message!.bytes.includes(personal), personal).toBe(false)
    }
  })

  test('sent again with its idempotency key has the same id', async () => {
    const answers = [await send(paid()), await send(paid({ properties: { value: 1 } }))]
    expect(answers[1]!.json().data).toEqual(answers[0]!.json().data)
    const messages = await world.received(topics.events, 2)
    expect(messages.map(({ value }) => value.amount_minor)).toEqual([45_990, 1])
  })

  test('without an idempotency key gets a fresh id each time', async () => {
    const answers = [await send({ event_type: 'lead_created' }), await send({ event_name: 'lead_created' })]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202])
    expect(answers[1]!.json().data).not.toEqual(answers[0]!.json().data)
    const messages = await world.received(topics.events, 2)
    expect(messages.map(({ value }) => value.event_type)).toEqual(['lead_created', 'lead_created'])
  })

  test('carries its subject_ref only as a token, the same for the same ref', async () => {
    const properties = { value: 1, subject_ref: 'pet-1' }
    for (const idempotency_key of ['a', 'b']) await send(paid({ idempotency_key, properties }))
    const messages = await world.received(topics.events, 2)
    expect(messages[0]!.value.subject_ref_token).toMatch(/^[0-9a-f-]{36}$/)
    expect(messages[1]!.value.subject_ref_token).toBe(messages[0]!.value.subject_ref_token)
    expect(messages[0]!.bytes.includes('pet-1')).toBe(false)
  })

  test('from the future is clamped to its receipt', async () => {
    await send(paid({ occurred_at: Date.now() + 3_600_000 }))
    const [message] = await world.received(topics.events, 1)
    expect(message!.value.is_clamped).toBe(true)
    expect(message!.value.occurred_at).toBe(message!.value.received_at)
  })
})

describe('a refused event', () => {
  test.each([
    ['idempotency_key', 422, 'validation_error', { idempotency_key: undefined }],
    ['properties.subject_ref', 400, 'invalid_parameter', { properties: { subject_ref: 'maria' } }],
    ['properties.subject_ref', 400, 'invalid_parameter', { properties: { subject_ref: 7 } }],
    ['properties.subject_ref', 400, 'invalid_parameter', { properties: { subject_ref: '' } }],
    ['event_type', 422, 'validation_error', { event_type: undefined }],
    ['event_type', 422, 'validation_error', { event_type: 7 }],
    ['event_type', 422, 'validation_error', { event_type: 'x'.repeat(101) }],
    ['event_type', 422, 'validation_error', { event_type: 'paid by ana@example.com' }],
    ['event_type', 422, 'validation_error', { event_type: 'paid by +56933334444' }],
    ['event_name', 422, 'validation_error', { event_type: undefined, event_name: 'x'.repeat(101) }],
    ['event_name', 422, 'validation_error', { event_type: undefined, event_name: 'ana@example.com' }],
    ['occurred_at', 422, 'validation_error', { occurred_at: 'soon' }],
    ['occurred_at', 422, 'validation_error', { occurred_at: '2001-01-01' }],
    ['properties.value', 422, 'validation_error', { properties: { value: -5 } }],
    ['properties.value', 422, 'validation_error', { properties: { value: 'a lot' } }],
    ['properties.currency', 422, 'validation_error', { properties: { value: 5, currency: 'ZZZ' } }],
    ['action_source', 422, 'validation_error', { action_source: 'fax' }],
    ['ad_id', 422, 'validation_error', { ad_id: 'no id' }],
    ['click_ids', 422, 'validation_error', { click_ids: 'x' }],
    ['user_traits', 422, 'validation_error', { user_traits: [] }],
  ])('names %s (%i %s)', async (field, status, code, fields) => {
    const answer = await send(paid(fields))
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code])
    expect(answer.json().error.message).toContain(`${field}: `)
  })

  test.each(['', '{', '[]', 'null', '7'])('with the body %j is a malformed request', async (payload) => {
    const answer = await send(payload)
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'invalid_request'])
  })

  test('never repeats the subject_ref it refuses', async () => {
    const answer = await send(paid({ properties: { value: 1, subject_ref: 'ana@example.com' } }))
    expect(answer.statusCode).toBe(400)
    expect(answer.body).not.toContain('ana@example.com')
  })

  test('never repeats a key of click_ids, whatever it is called', async () => {
    const key = `ana@example.com${'a'.repeat(100)}`
    for (const click_ids of [{ [key]: 'x' }, { gclid: { [key]: 1 } }, [{ [key]: 1 }]]) {
      expect((await send(paid({ click_ids }))).body).not.toContain('example.com')
    }
  })

  test('without the scope is insufficient_scope', async () => {
    key = (await createApiKey(world.pool, { profileId: world.profile, scopes: ['campaigns:read'] })).key
    expect((await send(paid())).json().error.code).toBe('insufficient_scope')
  })
})

describe('with Kafka away', () => {
  let producer: Producer
  beforeAll(() => {
    producer = connectProducer({ brokers: ['127.0.0.1:1'] })
  })
  afterAll(() => producer.close())

  test('an event is not accepted: 503 with Retry-After', async () => {
    const away = await serve(producer)
    const answer = await send(paid(), away)
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'service_unavailable'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    await away.close()
  })
})

test('the description says what the body may hold', async () => {
  const description = (await app.inject('/api/v1/openapi.json')).json()
  const bodyOf = (path: string) => description.paths[path].post.requestBody.content['application/json'].schema
  const event = { $ref: '#/components/schemas/EventInput' }
  expect(bodyOf('/api/v1/events')).toEqual(event)
  expect(bodyOf('/api/v1/events/batch').properties.events.items).toEqual(event)
  expect(Object.keys(description.components.schemas.EventInput.properties)).toContain('idempotency_key')
})

describe('subject_ref', () => {
  // SPEC 4.6 rules 2 and 6, over the wire: what is taken becomes a token, what names a person is 400.
  test.each([
    ['a canonical UUID, whatever its digits', '12345678-1234-1234-1234-123456789012'],
    ['a token of 32 letters, digits, _ and -', `pet_1-${'a'.repeat(26)}`],
    ['letters that are no name', 'household-b'],
  ])('takes %s', async (_what, subject_ref) => {
    const answer = await send(paid({ properties: { value: 1, subject_ref } }))
    expect(answer.statusCode).toBe(202)
    const [message] = await world.received(topics.events, 1)
    expect(message!.value.subject_ref_token).not.toBeNull()
    expect(message!.bytes.includes(subject_ref)).toBe(false)
    expect(answer.body).not.toContain(subject_ref)
  })

  test.each([
    ['an @', 'a@b'],
    ['33 characters', 'a'.repeat(33)],
    ['another character', 'pet 1'],
    ['7 digits in a row', 'id-1234567'],
    ['7 digits in a row once separators are gone', '12-345_67'],
    ['a date', '2019-04-02'],
    ['a date without separators', 'b20190402'],
    ['a name', 'ref-maria'],
    ['a digest of 32', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['a digest of 40', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['a digest of 64', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ])('refuses %s', async (_what, subject_ref) => {
    const answer = await send(paid({ properties: { value: 1, subject_ref } }))
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'invalid_parameter'])
    expect(answer.body).not.toContain(subject_ref)
  })

  test('left out of a re-send is removed from the event', async () => {
    await send(paid({ properties: { value: 1, subject_ref: 'pet-1' } }))
    await send(paid({ properties: { value: 1 } }))
    const messages = await world.received(topics.events, 2)
    expect(messages.map(({ value }) => value.subject_ref_token === null)).toEqual([false, true])
  })
})

describe('many at once', () => {
  const sendAll = (events: unknown[], to = app) =>
    to.inject({
      method: 'POST',
      url: '/api/v1/events/batch',
      headers: { authorization: `Bearer ${key}` },
      payload: { events },
    })

  test('each get a result of their own, and the accepted ones are messages in order', async () => {
    const answer = await sendAll([
      paid(),
      paid({ idempotency_key: null }),
      7,
      paid({ idempotency_key: 'order-2', properties: { value: 1, subject_ref: 'ana@example.com' } }),
      paid({ properties: { value: 2 } }),
      { event_type: 'lead_created' },
    ])
    expect(answer.statusCode).toBe(202)
    const { data } = answer.json()
    expect(data).toMatchObject({ accepted: 3, rejected: 3 })
    const id = ids.serverEvent(world.profile, 'order-1')
    expect(data.results).toMatchObject([
      { index: 0, status: 'accepted', outcome_event_id: id, error: null },
      {
        index: 1,
        status: 'rejected',
        outcome_event_id: null,
        error: { code: 'validation_error', field: 'idempotency_key' },
      },
      { index: 2, status: 'rejected', error: { code: 'validation_error' } },
      { index: 3, status: 'rejected', error: { code: 'invalid_parameter', field: 'properties.subject_ref' } },
      { index: 4, status: 'accepted', outcome_event_id: id },
      { index: 5, status: 'accepted' },
    ])
    expect(answer.body).not.toContain('ana@example.com')
    const messages = await world.received(topics.events, 3)
    const own = messages.filter(({ value }) => value.outcome_event_id === id)
    expect(own.map(({ value }) => value.amount_minor)).toEqual([45_990, 2])
  })

  test('take 500 and no more, and never none', async () => {
    const answer = await sendAll(Array.from({ length: 500 }, (_, n) => paid({ idempotency_key: `o-${n}` })))
    expect(answer.json().data).toMatchObject({ accepted: 500, rejected: 0 })
    for (const count of [0, 501]) {
      const refused = await sendAll(Array.from({ length: count }, () => paid()))
      expect([refused.statusCode, refused.json().error.code]).toEqual([422, 'validation_error'])
    }
  })
})

test('the same event from many callers at once is one id', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(paid())))
  expect(new Set(answers.map((answer) => answer.json().data.outcome_event_id)).size).toBe(1)
})

test('an Idempotency-Key makes one event of a request that is sent again, and refuses another under the same key', async () => {
  const headers = { 'idempotency-key': 'attempt-1' }
  const lead = { event_type: 'lead_created', user_traits: { email: 'ana@example.com' } }
  const answers = [await send(lead, app, headers), await send(lead, app, headers)]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202])
  expect(answers[1]!.json().data).toEqual(answers[0]!.json().data)
  const other = await send({ ...lead, event_type: 'quote_sent' }, app, headers)
  expect([other.statusCode, other.json().error.code]).toEqual([409, 'idempotency_key_conflict'])
  const unnamed = [await send(lead), await send(lead)].map((answer) => answer.json().data.outcome_event_id)
  expect(new Set(unnamed).size).toBe(2)
  expect(await world.received(topics.events, 3)).toHaveLength(3)
})

test('an Idempotency-Key is not used up by an event that breaks a rule, whichever rule that is', async () => {
  const lead = { event_type: 'lead_created' }
  for (const [at, wrong] of [
    { event_type: '' },
    { properties: { subject_ref: 'ana@example.com' } },
    { properties: { value: 1 } },
    { properties: { value: -1 } },
    { occurred_at: '2001-01-01' },
  ].entries()) {
    const headers = { 'idempotency-key': `mended-${at}` }
    expect((await send({ ...lead, ...wrong }, app, headers)).statusCode).toBeOneOf([400, 422])
    expect((await send(lead, app, headers)).statusCode).toBe(202)
  }
})
