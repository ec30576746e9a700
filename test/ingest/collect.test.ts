import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ids } from '../../domain/ids.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { trackingKeyLookup } from '../../postgres/stores/tracking-key-lookup.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import { topics } from '../../schemas/topics.ts'
import { openWorld, type World } from './world.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const now = Date.UTC(2026, 5, 1, 12)

let world: World
let app: FastifyInstance

beforeEach(async () => {
  world = await openWorld({ currency: 'CLP' })
  app = world.app({ clock: () => now })
})
afterEach(async () => {
  await app.close()
  await world.close()
})

const hit = (fields: object = {}) => ({
  event_id: randomUUID(),
  event_type: 'page_view',
  event_time: now - 60_000,
  url: 'https://www.clinic.cl/a',
  ...fields,
})
const visit = (events: object[], fields: object = {}) => ({
  tracking_key: world.trackingKey,
  visitor_id: 'v-1',
  sent_at: now,
  events,
  ...fields,
})
const send = (payload: unknown, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/collect',
    headers: { 'content-type': 'application/json', 'user-agent': chrome, ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })

describe('an accepted request', () => {
  test('counts without a number of its customer that a page has read as another', async () => {
    const body = JSON.stringify(visit([hit({ user_traits: { external_id: 'N', email: 'ana@example.com' } })]))
    expect((await send(body.replace('"N"', '9007199254740993'))).statusCode).toBe(204)
    const [message] = await world.received(topics.visits, 1)
    expect(message!.value.hits[0]!.identifiers.map(({ type }) => type)).toEqual(['email'])
  })

  test('is one message with the visitor, the place, the device and each hit reduced', async () => {
    const eventId = randomUUID()
    const answer = await send(
      visit([
        hit({
          event_id: eventId.toUpperCase(),
          event_name: 'Landing',
          url: 'https://www.clinic.cl/u/ana@example.com?utm_source=Meta&utm_medium=cpc&gclid=G1&svc_ad_id=77&email=x@y.cl',
          referrer: 'https://www.google.com/search?q=ana',
          title: 'Welcome Ana',
          properties: { value: 1999.5, currency: 'clp', secret: 'S3CRET' },
          link_token: 'x',
        }),
        hit({ event_id: 'e-2' }),
      ]),
      { 'cf-ipcountry': 'cl', 'cf-ipcity': 'Valpara%C3%ADso' },
    )
    expect(answer.statusCode).toBe(204)
    expect(answer.body).toBe('')
    const [message] = await world.received(topics.visits, 1)
    expect(message!.value).toMatchObject({
      profile_id: world.profile,
      visitor_id: ids.visitor(world.profile, 'v-1'),
      received_at: now,
      clock_skew_ms: 0,
      device: 'desktop',
      browser: 'Chrome',
      os: 'Windows',
      country: 'CL',
      city: 'Valparaíso',
      is_bot: false,
    })
    expect(message!.value.hits).toEqual([
      {
        event_id: eventId,
        event_type: 'page_view',
        event_name: 'Landing',
        event_time: now - 60_000,
        is_clamped: false,
        url: 'https://www.clinic.cl/u/:email?utm_source=Meta&utm_medium=cpc&gclid=G1&svc_ad_id=77',
        path: '/u/:email',
        referrer: 'https://www.google.com/search',
        utm: { source: 'Meta', medium: 'cpc' },
        click_ids: { gclid: 'G1' },
        campaign_ref: null,
        ad_set_ref: null,
        ad_ref: '77',
        amount_minor: 2000,
        currency: 'CLP',
        identifiers: [],
        traits: null,
        linked_token: null,
      },
      expect.objectContaining({ event_id: ids.hit(world.profile, 'v-1', 'e-2'), amount_minor: null }),
    ])
    for (const personal of ['example.com', 'ana', 'Ana', 'S3CRET', 'v-1']) {
      expect(message!.bytes.includes(personal), personal).toBe(false)
    }
  })

  test('carries identifiers as tokens, with values and names sealed under their keys', async () => {
    const user_traits = {
      email: ' Ana.Perez@Example.com ',
      phone: '9 8765 4321',
      national_id: '12.345.678-5',
      external_id: 4711,
      first_name: 'Ana',
      last_name: 'Pérez',
    }
    expect(
      (await send(visit([hit({ event_type: 'identify', user_traits })]), { 'cf-ipcountry': 'CL' })).statusCode,
    ).toBe(204)
    const [message] = await world.received(topics.visits, 1)
    const { identifiers, traits } = message!.value.hits[0]!
    const revealed = await Promise.all(identifiers.map(async (one) => [one.type, await world.reveal('value', one)]))
    expect(revealed).toEqual([
      ['external_customer_id', '4711'],
      ['national_id', '12345678-5'],
      ['email', 'ana.perez@example.com'],
      ['phone', '+56987654321'],
    ])
    expect(traits!.token).toBe(identifiers[0]!.token)
    expect(JSON.parse(await world.reveal('traits', traits!))).toEqual({ first_name: 'Ana', last_name: 'Pérez' })
    for (const personal of ['ana.perez', 'Perez', '87654321', '12345678', 'Ana', 'Pérez', '4711']) {
      expect(message!.bytes.includes(personal), personal).toBe(false)
    }
  })

  test('leaves out what is no identifier, and counts it', async () => {
    const user_traits = { email: 'test@test.com', phone: 'none', external_id: 'null', first_name: 'Ana' }
    expect((await send(visit([hit({ user_traits })]))).statusCode).toBe(204)
    const [message] = await world.received(topics.visits, 1)
    expect(message!.value.hits[0]).toMatchObject({ identifiers: [], traits: null })
    expect(await world.registry.metrics()).toContain(
      'touchline_ingest_identifiers_refused_total{type="email",reason="placeholder"} 1',
    )
  })

  test('gives the same ids and tokens when it is delivered twice', async () => {
    const body = visit([hit({ event_id: 'e-1', user_traits: { email: 'ana@example.com' } })])
    await send(body)
    await send(body)
    const [first, second] = (await world.received(topics.visits, 2)).map(({ value }) => value)
    expect(second!.hits[0]!.event_id).toBe(first!.hits[0]!.event_id)
    expect(second!.hits[0]!.identifiers[0]!.token).toBe(first!.hits[0]!.identifiers[0]!.token)
    expect(second!.visitor_id).toBe(first!.visitor_id)
  })

  test('has its clock skew taken out and its future clamped', async () => {
    const hourAhead = 3_600_000
    await send(
      visit([hit({ event_time: now + hourAhead - 1000 })], { sent_at: new Date(now + hourAhead).toISOString() }),
    )
    await send(visit([hit({ event_time: now + 301_000 }), hit({ event_time: undefined })], { sent_at: null }))
    const found = (await world.received(topics.visits, 2)).map(({ value }) => value)
    expect(found[0]).toMatchObject({ clock_skew_ms: -hourAhead, hits: [{ event_time: now - 1000, is_clamped: false }] })
    expect(found[1]).toMatchObject({
      clock_skew_ms: 0,
      hits: [
        { event_time: now, is_clamped: true },
        { event_time: now, is_clamped: false },
      ],
    })
  })

  test('may be a beacon: JSON as text/plain', async () => {
    const answer = await send(visit([hit()]), {
      'content-type': 'text/plain;charset=UTF-8',
      origin: 'https://www.clinic.cl',
    })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe('https://www.clinic.cl')
    expect(await world.received(topics.visits, 1)).toHaveLength(1)
  })

  test('of a bot is marked and counted apart', async () => {
    await send(visit([hit()]), { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
    const [message] = await world.received(topics.visits, 1)
    expect(message!.value.is_bot).toBe(true)
    expect(await world.registry.metrics()).toContain('touchline_ingest_bot_hits_total 1')
  })

  test('survives a URL of 64 KB, lone surrogates and a property nested a hundred levels deep', async () => {
    const nested = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`
    const body = JSON.stringify(
      visit([
        hit({ url: `https://www.clinic.cl/${'x'.repeat(65_536)}?utm_source=meta`, event_name: 'a\ud800b' }),
        hit({ properties: { deep: 'DEEP' } }),
      ]),
    ).replace('"DEEP"', nested)
    expect((await send(body)).statusCode).toBe(204)
    const [message] = await world.received(topics.visits, 1)
    const [long, deep] = message!.value.hits
    expect(long!.url!.length).toBeLessThan(1200)
    expect(long!.utm).toEqual({ source: 'meta' })
    expect(long!.event_name).toBe('a\ufffdb')
    expect(deep!.amount_minor).toBeNull()
  })

  test('of the worst kind still fits one message', async () => {
    const url = `https://www.clinic.cl/${'<'.repeat(340)}?utm_source=${'!'.repeat(256)}&utm_term=${'!'.repeat(256)}&utm_id=${'!'.repeat(90)}`
    const user_traits = { email: 'ana@example.com', first_name: 'x' }
    const body = JSON.stringify(visit(Array.from({ length: 100 }, () => hit({ url, user_traits }))))
    expect(body.length).toBeGreaterThan(110_000)
    expect((await send(body)).statusCode).toBe(204)
  })

  test('takes a value without a currency in the profile’s own', async () => {
    await send(visit([hit({ event_type: 'purchase', properties: { value: '1990' } })]))
    const [message] = await world.received(topics.visits, 1)
    expect(message!.value.hits[0]).toMatchObject({ amount_minor: 1990, currency: 'CLP' })
  })
})

describe('a refused request', () => {
  test.each([
    ['', 400, 'invalid_request'],
    ['{', 400, 'invalid_request'],
    ['[]', 400, 'invalid_request'],
    ['null', 400, 'invalid_request'],
    ['"text"', 400, 'invalid_request'],
    ['['.repeat(100_000), 400, 'invalid_request'],
    [`{"a":"${'x'.repeat(300_000)}"}`, 413, 'payload_too_large'],
  ])('with the body %.20s is %i %s', async (payload, status, code) => {
    const answer = await send(payload)
    expect([answer.statusCode, answer.json().error?.code]).toEqual([status, code])
  })

  test('of another content type is a malformed request', async () => {
    const answer = await send('<a/>', { 'content-type': 'application/xml' })
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'invalid_request'])
  })

  test.each([
    ['visitor_id', { visitor_id: '' }],
    ['visitor_id', { visitor_id: 7 }],
    ['sent_at', { sent_at: 'yesterday' }],
    ['events', { events: [] }],
    ['events', { events: Array.from({ length: 101 }, () => hit()) }],
    ['events', { events: 'x' }],
    ['tracking_key', { tracking_key: undefined }],
    ['tracking_key', { tracking_key: { $ne: null } }],
  ])('names %s', async (field, fields) => {
    const answer = await send(visit([hit()], fields))
    expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'validation_error'])
    expect(answer.json().error.message).toMatch(new RegExp(`^${field}`))
  })

  test.each([
    ['events[1].event_id', { event_id: undefined }],
    ['events[1].event_id', { event_id: 'x'.repeat(201) }],
    ['events[1].event_type', { event_type: ' ' }],
    ['events[1].event_type', { event_type: 'x'.repeat(101) }],
    ['events[1].event_time', { event_time: '2026-02-30T00:00:00Z' }],
    ['events[1].event_time', { event_time: now - 800 * 86_400_000 }],
    ['events[1].url', { url: 7 }],
    ['events[1].properties', { properties: [] }],
    ['events[1].properties.value', { properties: { value: -1 } }],
    ['events[1].properties.value', { properties: { value: 1e300 } }],
    ['events[1].properties.value', { properties: { value: {} } }],
    ['events[1].properties.currency', { properties: { value: 1, currency: 'ZZZ' } }],
    ['events[1].user_traits', { user_traits: 'ana@example.com' }],
    ['events[1].user_traits.email', { user_traits: { email: ['ana@example.com'] } }],
  ])('names %s and repeats no value', async (field, fields) => {
    const answer = await send(visit([hit(), hit(fields)]))
    expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'validation_error'])
    expect(answer.json().error.message).toContain(`${field}: `)
    expect(answer.body).not.toContain('ana@example.com')
  })

  test('with an unknown key says so, to any origin, and is counted', async () => {
    const answer = await send(visit([hit()], { tracking_key: `tl_pub_${randomUUID()}` }), {
      origin: 'https://evil.example',
    })
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'unauthorized'])
    expect(answer.json().error.reason).toBe('tracking_key_unknown')
    expect(answer.headers['access-control-allow-origin']).toBe('https://evil.example')
    expect(await world.registry.metrics()).toContain(
      'touchline_ingest_refused_total{source="collect",reason="tracking_key_unknown"} 1',
    )
  })

  test('with a revoked key says so', async () => {
    await world.pool.query('UPDATE tracking_keys SET revoked_at = now() WHERE profile_id = $1', [world.profile])
    const answer = await send(visit([hit()]))
    expect([answer.statusCode, answer.json().error.reason]).toEqual([401, 'tracking_key_revoked'])
  })
})

describe('an engine that is away', () => {
  test('Kafka: 503 with Retry-After, so that the tracker tries again', async () => {
    const producer = connectProducer({ brokers: ['127.0.0.1:1'] })
    const away = world.app({ producer })
    const answer = await away.inject({ method: 'POST', url: '/collect', payload: visit([hit()]) })
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'service_unavailable'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    await producer.close()
    await away.close()
  })

  test('Postgres: a known anonymous visitor goes on, a person gets 503', async () => {
    const pool = connectPostgres(world.pool.options.connectionString!)
    const trackingKeys = trackingKeyLookup(pool, { freshMs: 0, timeoutMs: 20_000 })
    const vault = postgresVault(pool, { identifierHmac: Buffer.alloc(32), dataKeyWrapping: Buffer.alloc(32) })
    const away = world.app({ trackingKeys, vault })
    const post = (payload: object) => away.inject({ method: 'POST', url: '/collect', payload })
    expect((await post(visit([hit()]))).statusCode).toBe(204)
    await pool.end()
    expect((await post(visit([hit()]))).statusCode).toBe(204)
    const person = await post(visit([hit({ user_traits: { email: 'ana@example.com' } })]))
    expect([person.statusCode, person.headers['retry-after']]).toEqual([503, '2'])
    await away.close()
  })
})

test('a Postgres that hangs is answered with 503, not waited for', async () => {
  const mute = createServer().listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const pool = connectPostgres(`postgres://a:b@127.0.0.1:${port}/c`)
  const hung = world.app({ trackingKeys: trackingKeyLookup(pool) })
  const answer = await hung.inject({ method: 'POST', url: '/collect', payload: visit([hit()]) })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
  await hung.close()
  await pool.end()
  mute.close()
})

test('a preflight is answered for any origin', async () => {
  const answer = await app.inject({
    method: 'OPTIONS',
    url: '/collect',
    headers: { origin: 'https://www.clinic.cl', 'access-control-request-method': 'POST' },
  })
  expect(answer.statusCode).toBe(204)
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': 'https://www.clinic.cl',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'content-type',
    vary: 'Origin',
  })
})
