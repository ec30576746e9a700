import { connect } from 'node:net'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorCodes } from '../../http/errors.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { baseUrl, bearer, captureLog, sampleApp } from './test-app.ts'

let pool: pg.Pool
let app: FastifyInstance
let profileId: string
let headers: { authorization: string }
const log = captureLog()
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  pool = await openPostgres()
  profileId = await createProfile(pool)
  headers = await bearer(pool, profileId, ['campaigns:read', 'attribution:write', 'customers:read', 'analytics:read'])
  app = await sampleApp(pool, { logger: log.logger })
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

describe('a success', () => {
  it('wraps a page with pagination, the declared meta and the profile', async () => {
    const url = '/api/v1/rows?date_from=2026-01-01&date_to=2026-01-31&limit=1'
    const response = await app.inject({ url, headers })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      data: [{ id: '0', amount: 0 }],
      pagination: { has_next: true, cursor: 'next' },
      meta: { profile_id: profileId, model: 'last_touch' },
    })
  })

  it('wraps one thing and answers with the declared status', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/rows',
      headers,
      payload: { email: 'a@b.co', unknown: 1 },
    })
    expect(response.statusCode).toBe(202)
    expect(response.json()).toEqual({ data: { email_length: 6 }, meta: { profile_id: profileId } })
  })

  it('drops fields that the response does not declare', async () => {
    const response = await app.inject({ url: '/api/v1/leaky', headers })
    expect(response.json().data).toEqual({ id: 'x', amount: 1 })
  })

  it('echoes a sane request id and replaces another', async () => {
    const sane = await app.inject({ url: '/healthz', headers: { 'x-request-id': 'trace-12345678' } })
    expect(sane.headers['x-request-id']).toBe('trace-12345678')
    const odd = await app.inject({ url: '/healthz', headers: { 'x-request-id': 'ana@example.com and more' } })
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })
})

interface Refusal {
  why: string
  request: {
    method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
    url: string
    payload?: string
    headers?: Record<string, string>
  }
  status: number
  code: string
  says?: RegExp
}

const rows = '/api/v1/rows'
const range = 'date_from=2026-01-01&date_to=2026-01-31'
const post = (payload: string, type = 'application/json'): Refusal['request'] => ({
  method: 'POST',
  url: rows,
  payload,
  headers: { 'content-type': type },
})

const refusals: Refusal[] = [
  { why: 'an unknown path', request: { url: '/api/v1/nothing' }, status: 404, code: 'not_found' },
  { why: 'a path outside the API', request: { url: '/nothing' }, status: 404, code: 'not_found' },
  { why: 'another method', request: { method: 'PUT', url: rows }, status: 405, code: 'invalid_request', says: /GET/ },
  {
    why: 'a body over the limit',
    request: post(`{"email":"${'a'.repeat(1_100_000)}"}`),
    status: 413,
    code: 'payload_too_large',
  },
  {
    why: 'another content type',
    request: post('a=b', 'application/x-www-form-urlencoded'),
    status: 400,
    code: 'invalid_request',
  },
  { why: 'plain text', request: post('{}', 'text/plain'), status: 400, code: 'invalid_request' },
  { why: 'broken JSON', request: post('{"email": '), status: 400, code: 'invalid_request' },
  { why: 'a prototype in the JSON', request: post('{"__proto__": {"a": 1}}'), status: 400, code: 'invalid_request' },
  { why: 'a top-level array', request: post('[]'), status: 400, code: 'invalid_request' },
  { why: 'a bare value', request: post('1'), status: 400, code: 'invalid_request' },
  { why: 'null', request: post('null'), status: 400, code: 'invalid_request' },
  { why: 'an empty body', request: post(''), status: 400, code: 'invalid_request' },
  { why: 'a missing field', request: post('{}'), status: 422, code: 'validation_error', says: /^email:/ },
  {
    why: 'a nested field',
    request: post('{"email":"a@b.co","nested":{"list":["x"]}}'),
    status: 422,
    code: 'validation_error',
    says: /^nested\.list\[0\]:/,
  },
  {
    why: 'a field with a code of its own',
    request: post('{"email":"a@b.co","note":"too long"}'),
    status: 400,
    code: 'invalid_parameter',
    says: /^note:/,
  },
  {
    why: 'a limit above the most',
    request: { url: `${rows}?${range}&limit=101` },
    status: 400,
    code: 'invalid_parameter',
    says: /^limit:/,
  },
  {
    why: 'a limit of none',
    request: { url: `${rows}?${range}&limit=0` },
    status: 400,
    code: 'invalid_parameter',
    says: /^limit:/,
  },
  {
    why: 'an empty limit',
    request: { url: `${rows}?${range}&limit=` },
    status: 400,
    code: 'invalid_parameter',
    says: /^limit:/,
  },
  {
    why: 'two limits',
    request: { url: `${rows}?${range}&limit=1&limit=2` },
    status: 400,
    code: 'invalid_parameter',
    says: /^limit:/,
  },
  {
    why: 'an unknown model',
    request: { url: `${rows}?${range}&model=magic` },
    status: 400,
    code: 'invalid_parameter',
    says: /^model:/,
  },
  { why: 'no dates', request: { url: rows }, status: 400, code: 'invalid_date_range' },
  {
    why: 'half a range',
    request: { url: `${rows}?date_from=2026-01-01` },
    status: 400,
    code: 'invalid_date_range',
    says: /^date_to:/,
  },
  {
    why: 'a day that does not exist',
    request: { url: `${rows}?date_from=2026-02-30&date_to=2026-03-01` },
    status: 400,
    code: 'invalid_date_range',
  },
  {
    why: 'a range backwards',
    request: { url: `${rows}?date_from=2026-02-02&date_to=2026-02-01` },
    status: 400,
    code: 'invalid_date_range',
  },
  {
    why: '367 days',
    request: { url: `${rows}?date_from=2025-01-01&date_to=2026-01-02` },
    status: 400,
    code: 'invalid_date_range',
  },
  {
    why: 'a malformed id, like an unknown one',
    request: { url: `${rows}/not-an-id` },
    status: 404,
    code: 'customer_not_found',
  },
  {
    why: 'an unknown id',
    request: { url: `${rows}/7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57` },
    status: 404,
    code: 'customer_not_found',
  },
  { why: 'a credential of another kind', request: { url: '/api/v1/people-only' }, status: 403, code: 'forbidden' },
  { why: 'an answer that breaks its schema', request: { url: '/api/v1/broken' }, status: 500, code: 'internal_error' },
  { why: 'an error that nobody foresaw', request: { url: '/api/v1/fail' }, status: 500, code: 'internal_error' },
  { why: 'an address that cannot be decoded', request: { url: '/api/v1/%zz' }, status: 400, code: 'invalid_request' },
]

describe('every refusal wears the envelope', () => {
  it.each(refusals)('for $why', async ({ request, status, code, says }) => {
    const response = await app.inject({ ...request, headers: { ...headers, ...request.headers } })
    const { error } = response.json()
    expect(error).toMatchObject({
      code,
      status,
      request_id: response.headers['x-request-id'] ?? expect.any(String),
      docs_url: `${baseUrl}/docs/errors/${code}`,
    })
    expect(response.statusCode).toBe(status)
    if (says) expect(error.message).toMatch(says)
  })

  it.each([
    ['GET', `${rows}?${range}&ana.perez%40example.com=%00`, undefined, 'query: must not contain NUL'],
    ['GET', `${rows}?${range}&model=%00`, undefined, 'model: must not contain NUL'],
    ['POST', '/api/v1/strict', { 'ana.perez@example.com': 1 }, 'body: has an unknown field; known are name, nested'],
    ['POST', '/api/v1/strict', { nested: [{ 'ana.perez@example.com': 1 }] }, 'nested[0]: has an unknown field'],
  ] as const)('repeats no name that the caller gave to a field (%s %s %j)', async (method, url, payload, message) => {
    const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
    expect(response.json().error.message).toBe(message)
    expect(response.body).not.toContain('perez')
  })

  it('names the methods that a path does take', async () => {
    const response = await app.inject({ method: 'DELETE', url: rows })
    expect(response.headers.allow).toBe('GET, HEAD, POST')
    expect(response.json().error.reason).toBe('method_not_allowed')
  })

  it('accepts 366 days', async () => {
    const response = await app.inject({ url: `${rows}?date_from=2025-01-01&date_to=2026-01-01`, headers })
    expect(response.statusCode).toBe(200)
  })

  it('also for a header that is too large for a request at all', async () => {
    const own = await sampleApp(pool)
    await own.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.server.address() as { port: number }
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`)
      })
      socket.on('data', (data) => {
        text += data
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
    })
    await own.close()
    expect(answer).toMatch(/^HTTP\/1.1 431 /)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error).toMatchObject({
      code: 'invalid_request',
      status: 431,
    })
  })
})

describe('the published description', () => {
  it('passes a validator and shows scopes, credentials, idempotency and grain of every operation', async () => {
    const description = (await app.inject({ url: '/api/v1/openapi.json' })).json()
    expect(await new Validator().validate(structuredClone(description))).toMatchObject({ valid: true })
    expect(description.openapi).toMatch(/^3\.1/)
    const operations = Object.values(description.paths).flatMap((path) => Object.values(path as object))
    expect(operations.length).toBe(8)
    for (const operation of operations) {
      expect(operation['x-scopes'].any_of.length).toBeGreaterThan(0)
      expect(operation['x-auth']).toMatchObject({ public: false, credentials: expect.any(Array) })
      expect(operation['x-idempotency'].mode).toMatch(/^(none|natural|header)$/)
      expect(operation['x-scope-grain'].level).toBe('profile')
      expect(operation.responses).toHaveProperty('401')
    }
    expect(description.paths['/api/v1/rows'].get.responses['400'].description).toContain('invalid_date_range')
    expect(description.servers).toEqual([{ url: baseUrl }])
  })
})

describe('the documentation', () => {
  it('has a page for every error code and a list of them all', async () => {
    const list = (await app.inject({ url: '/docs/errors' })).body
    for (const code of errorCodes) {
      expect(list).toContain(`/docs/errors/${code}"`)
      const page = await app.inject({ url: `/docs/errors/${code}` })
      expect(page.statusCode).toBe(200)
      expect(page.headers['content-type']).toContain('text/html')
      expect(page.body).toContain(`<h1>${code}</h1>`)
    }
    expect((await app.inject({ url: '/docs/errors/no_such_code' })).statusCode).toBe(404)
  })

  it('renders the reference from local files, the scopes and the change log', async () => {
    const reference = await app.inject({ url: '/docs' })
    expect(reference.statusCode).toBe(200)
    expect(reference.body).not.toMatch(/(src|href)="https?:/)
    expect((await app.inject({ url: '/docs/static/swagger-ui-bundle.js' })).statusCode).toBe(200)
    expect((await app.inject({ url: '/docs/scopes' })).body).toContain('<code>GET /api/v1/rows</code>')
    expect((await app.inject({ url: '/docs/changelog' })).statusCode).toBe(200)
  })
})

describe('the log', () => {
  it('names the route and never the address, the body, the key or a person', async () => {
    const person = 'maria.secret@example.com'
    await app.inject({
      method: 'POST',
      url: `${rows}?email=${person}`,
      headers: { ...headers, ...json, cookie: 'sid=topsecret' },
      payload: { email: person, note: '+56 9 8765 4321' },
    })
    await app.inject({ url: `${rows}/${person}`, headers })
    const failing = await sampleApp(pool, {
      logger: log.logger,
      fail: () => pool.query('SELECT $1::uuid', [person]) as Promise<never>,
    })
    expect((await failing.inject({ url: '/api/v1/fail', headers })).statusCode).toBe(500)
    await failing.close()
    const text = log.text()
    expect(text).toContain('"route":"/api/v1/rows/:id"')
    expect(text).toContain('"code":"22P02"')
    for (const secret of [
      person,
      'maria',
      '8765 4321',
      'topsecret',
      headers.authorization.slice(-20),
      'ana@example.com',
    ]) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('metrics', () => {
  it('count requests by route pattern, method and status', async () => {
    const { body } = await app.inject({ url: '/metrics' })
    expect(body).toMatch(
      /touchline_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/rows\/:id",status="404"\} \d+/,
    )
    expect(body).toContain('process_cpu_seconds_total')
  })
})
