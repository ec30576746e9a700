import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ids } from '../../domain/ids.ts'
import { ErrorEnvelope } from '../../http/errors.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import type { VisitBatch } from '../../schemas/messages.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { collectApp, openWorld, type World } from './world.ts'

const now = Date.UTC(2026, 5, 1, 12)
const day = 86_400_000

let world: World
let app: FastifyInstance
let key: string
const produced: { topic: string; values: unknown[] }[] = []

beforeAll(async () => {
  world = await openWorld({ currency: 'CLP' })
  key = (await createApiKey(world.pool, { profileId: world.profile, scopes: ['attribution:write'] })).key
  const producer = {
    send: async <Value>(topic: Topic<Value>, values: readonly Value[]) => {
      await world.producer.send(topic, values)
      produced.push({ topic: topic.name, values: [...values] })
    },
  }
  app = await collectApp(world, { clock: () => now, producer }, { requestTimeoutMs: 500 })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await app.close()
  await world.close()
})

const hit = (fields: object = {}) => ({ event_id: randomUUID(), event_type: 'page_view', event_time: now, ...fields })
const visit = (events: unknown, fields: object = {}) => ({
  tracking_key: world.trackingKey,
  visitor_id: 'v-1',
  sent_at: now,
  events,
  ...fields,
})
const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      authorization: `Bearer ${key}`,
      ...headers,
    },
    payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  })
const collect = (payload: unknown, headers: Record<string, string> = {}) => post('/collect', payload, headers)

/** What one request answered, and what it produced. */
async function outcome(answering: ReturnType<typeof post>) {
  const before = produced.length
  const answer = await answering
  const values = produced.slice(before).flatMap((one) => one.values)
  if (answer.statusCode < 300) return { status: answer.statusCode, values }
  expect(values).toEqual([])
  const { error } = ErrorEnvelope.parse(answer.json())
  expect(error.status).toBe(answer.statusCode)
  return { status: answer.statusCode, code: error.code, message: error.message, values }
}
const taken = async (payload: unknown, headers: Record<string, string> = {}) => {
  const result = await outcome(collect(payload, headers))
  expect(result).toMatchObject({ status: 204 })
  return result.values[0] as VisitBatch
}

describe('a hit is refused', () => {
  test.each([
    ['its amount overflows', 'properties.value', { properties: { value: '9'.repeat(40) } }],
    ['its amount overflows by its exponent', 'properties.value', { properties: { value: '1e300' } }],
    [
      'its amount is above what minor units hold exactly',
      'properties.value',
      { properties: { value: 9_007_199_254_740_992 } },
    ],
    [
      'its amount is one unit above what a message carries',
      'properties.value',
      { properties: { value: '90071992547409.91', currency: 'USD' } },
    ],
    ['its type holds an e-mail address', 'event_type', { event_type: 'subscribe ana@example.com' }],
    ['its type holds a phone', 'event_type', { event_type: 'call +56933334444' }],
    ['its amount is negative', 'properties.value', { properties: { value: -0.51, currency: 'USD' } }],
    ['its amount is no number', 'properties.value', { properties: { value: 'NaN' } }],
    ['its currency does not exist', 'properties.currency', { properties: { value: 1, currency: 'BTC' } }],
    ['it is older than two years', 'event_time', { event_time: now - 732 * day }],
    ['its time is beyond all calendars', 'event_time', { event_time: 1e300 }],
    ['its id is missing', 'event_id', { event_id: undefined }],
    ['its type is only control characters', 'event_type', { event_type: '\u0000\u0007' }],
  ])('when %s', async (_why, field, fields) => {
    const { status, code, message } = await outcome(collect(visit([hit(), hit(fields)])))
    expect([status, code]).toEqual([422, 'validation_error'])
    expect(message).toMatch(new RegExp(`^events\\[1\\]\\.${field.replace('.', '\\.')}: `))
  })

  test.each([
    ['visitor_id is missing', { visitor_id: undefined }, /^visitor_id: /],
    ['visitor_id is too long', { visitor_id: 'x'.repeat(201) }, /^visitor_id: /],
    ['sent_at is garbage', { sent_at: '\ud800' }, /^sent_at: /],
    ['events are an object', { events: {} }, /^events: /],
    ['it comes with 999 others', { events: Array.from({ length: 1000 }, () => ({})) }, /^events: /],
  ])('when %s', async (_why, fields, message) => {
    const result = await outcome(collect(visit([hit()], fields)))
    expect([result.status, result.code]).toEqual([422, 'validation_error'])
    expect(result.message).toMatch(message)
  })

  test('when it comes with 9,999 others: the body alone is too large', async () => {
    const result = await outcome(collect(visit(Array.from({ length: 10_000 }, () => hit()))))
    expect([result.status, result.code]).toEqual([413, 'payload_too_large'])
  })
})

describe('a hit is taken', () => {
  test('with the receipt as its time when it has none, or one beyond the limit of skew, which is flagged', async () => {
    const { hits } = await taken(visit([hit({ event_time: undefined }), hit({ event_time: now + 5 * 60_000 + 1 })]))
    expect(hits.map(({ event_time, is_clamped }) => [event_time, is_clamped])).toEqual([
      [now, false],
      [now, true],
    ])
  })

  test('with an address of 64 KB cut to its tags', async () => {
    const url = `https://www.clinic.cl/${'x/'.repeat(32_000)}?utm_source=meta`
    const { hits } = await taken(visit([hit({ url, referrer: `https://example.com/${'y'.repeat(40_000)}` })]))
    expect(hits[0]!.url!.length).toBeLessThan(1200)
    expect(hits[0]!.referrer!.length).toBeLessThan(1200)
    expect(hits[0]!.utm).toEqual({ source: 'meta' })
  })

  test('with lone surrogates, NUL bytes and four-byte characters made storable', async () => {
    const { hits, visitor_id } = await taken(
      JSON.stringify(
        visit(
          [hit({ event_id: '🦄-\ud83e', event_type: 'a\u0000b', event_name: '\ud800 🦄', url: 'https://x.cl/\u0000' })],
          {
            visitor_id: '🦄',
          },
        ),
      ),
    )
    expect(hits[0]).toMatchObject({
      event_type: 'a b',
      event_name: '\ufffd 🦄',
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(visitor_id).toBe(ids.visitor(world.profile, '🦄'))
    expect(JSON.stringify(hits)).not.toMatch(/\\u0000|\\ud8/)
  })

  test('without identifiers that hold NUL bytes or half a character', async () => {
    const { hits } = await taken(
      visit([
        hit({ user_traits: { external_id: 'c\u0000-1', crm_contact_id: 'c\ud800', email: 'a\u0000na@example.com' } }),
      ]),
    )
    expect(hits[0]!.identifiers).toEqual([])
  })

  test('with a property of a hundred levels, which is cut', async () => {
    const nested = `${'{"a":['.repeat(100)}1${']}'.repeat(100)}`
    const body = JSON.stringify(visit([hit({ properties: { value: 5, deep: 'DEEP' } })])).replace('"DEEP"', nested)
    expect((await taken(body)).hits[0]).toMatchObject({ amount_minor: 5 })
  })

  test('with __proto__ and constructor as keys, which change nothing', async () => {
    const poison = '"__proto__":{"is_bot":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}'
    const body = JSON.stringify(visit([hit({ user_traits: { first_name: 'A' }, properties: { value: 1 } })]))
      .replace('"properties":{', `"properties":{${poison},`)
      .replace('"user_traits":{', `"user_traits":{${poison},`)
      .replace(/^\{/, `{${poison},`)
    expect((await taken(body)).is_bot).toBe(false)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('with the last of two keys of one name', async () => {
    const body = JSON.stringify(visit([hit()])).replace('"visitor_id":"v-1"', '"visitor_id":"v-0","visitor_id":"v-9"')
    expect((await taken(body)).visitor_id).toBe(ids.visitor(world.profile, 'v-9'))
  })

  test.each(['application/json; charset=utf-8', 'text/plain', 'TEXT/PLAIN;charset=UTF-8', 'application/json'])(
    'as %s',
    async (type) => {
      expect((await taken(visit([hit()]), { 'content-type': type })).hits).toHaveLength(1)
    },
  )

  test('in gzip', async () => {
    const body = gzipSync(JSON.stringify(visit([hit()])))
    expect((await taken(body, { 'content-encoding': 'gzip' })).hits).toHaveLength(1)
  })
})

describe('a body is refused', () => {
  test.each([
    ['a gzip bomb', gzipSync(Buffer.alloc(100_000_000, ' ')), { 'content-encoding': 'gzip' }, 413, 'payload_too_large'],
    ['gzip that is none', '{}', { 'content-encoding': 'gzip' }, 400, 'invalid_request'],
    ['gzip cut short', gzipSync('{"a":1}').subarray(0, 12), { 'content-encoding': 'gzip' }, 400, 'invalid_request'],
    ['gzip of a gzip', gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip' }, 400, 'invalid_request'],
    ['another encoding', '{}', { 'content-encoding': 'br' }, 400, 'invalid_request'],
    ['several encodings', '{}', { 'content-encoding': 'gzip, gzip' }, 400, 'invalid_request'],
    [
      'UTF-16',
      Buffer.from('{}', 'utf16le'),
      { 'content-type': 'application/json; charset=utf-16' },
      400,
      'invalid_request',
    ],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), {}, 400, 'invalid_request'],
    ['JSON in Latin-1', Buffer.from('{"event_type":"café"}', 'latin1'), {}, 400, 'invalid_request'],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 400, 'invalid_request'],
    ['no body', '', {}, 400, 'invalid_request'],
    ['an array', '[{}]', {}, 400, 'invalid_request'],
    ['a number', '1e999', {}, 400, 'invalid_request'],
    ['a hundred thousand brackets', '['.repeat(100_000), {}, 400, 'invalid_request'],
  ])('that is %s', async (_what, body, headers, status, code) => {
    for (const url of ['/collect', '/api/v1/events']) {
      const result = await outcome(post(url, body, headers as Record<string, string>))
      // 64 KB are the limit there.
      const isLong = url !== '/collect' && body.length > 65_536
      expect([url, result.status, result.code]).toEqual([
        url,
        isLong ? 413 : status,
        isLong ? 'payload_too_large' : code,
      ])
    }
  })

  test('with __proto__ among the keys of an event', async () => {
    const result = await outcome(post('/api/v1/events', '{"event_type":"a","__proto__":{"x":1}}'))
    expect([result.status, result.code]).toEqual([400, 'invalid_request'])
  })
})

/** Everything a raw connection says until it is closed from the other side. */
function converse(act: (socket: Socket) => void): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => act(socket))
    socket.on('data', (data) => {
      text += data
    })
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(text))
  })
}

const head = (length: number) =>
  `POST /collect HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`
const envelopeIn = (answer: string) => ErrorEnvelope.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).error

describe('a connection', () => {
  test('that sends a header of 1 MB is answered with 431', async () => {
    const answer = await converse((socket) => socket.write(`${head(2)}X-Long: ${'a'.repeat(1_000_000)}\r\n\r\n{}`))
    expect(answer).toMatch(/^HTTP\/1.1 431 /)
    expect(envelopeIn(answer)).toMatchObject({ code: 'invalid_request', status: 431 })
  })

  test.each([
    ['its headers', 'POST /collect HTTP/1.1\r\nHost: x\r\n'],
    ['its body', `${head(1000)}\r\n{"tracking_key":`],
  ])('that never finishes %s is answered with 408 and closed', async (_what, text) => {
    const answer = await converse((socket) => socket.write(text))
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(envelopeIn(answer)).toMatchObject({ code: 'invalid_request', status: 408 })
  })

  test('that says it will send less than it sends, or sends its length twice, is answered with 400', async () => {
    const answer = await converse((socket) => socket.write(`${head(2)}Content-Length: 3\r\n\r\n{}x`))
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
  })

  test('that breaks or half closes in the middle of its body produces nothing, and the next is served', async () => {
    const body = JSON.stringify(visit([hit()]))
    const part = `${head(Buffer.byteLength(body))}\r\n${body.slice(0, -1)}`
    const before = produced.length
    await converse((socket) => socket.write(part, () => socket.destroy()))
    expect(await converse((socket) => socket.end(part))).toMatch(/^HTTP\/1.1 400 /)
    expect((await collect(body)).statusCode).toBe(204)
    expect(produced.length).toBe(before + 1)
  })

  test('that half closes after its request is closed; what it sent may count, and the next is served', async () => {
    const body = JSON.stringify(visit([hit()]))
    await converse((socket) => socket.end(`${head(Buffer.byteLength(body))}\r\n${body}`))
    expect((await collect(body)).statusCode).toBe(204)
  })
})

test('the topic holds what was acknowledged', async () => {
  const visits = produced.filter(({ topic }) => topic === topics.visits.name).length
  expect(visits).toBeGreaterThan(5)
  expect(await world.received(topics.visits, visits)).toHaveLength(visits)
})
