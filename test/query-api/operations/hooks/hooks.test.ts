import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hookSeals } from '../../../../domain/hooks/secrets.ts'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { openHookEndpoint } from '../../../../postgres/stores/hook-endpoints.ts'
import { hookOperations } from '../../../../query-api/operations/index.ts'
import { baseUrl, bearer, captureLog, guards } from '../../../http/test-app.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'

let pool: pg.Pool
let app: FastifyInstance
const seals = hookSeals(Buffer.alloc(32, 3))
beforeAll(async () => {
  pool = await openPostgres()
  app = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(pool),
    ...guards(pool),
    mounts: [mount(hookOperations, { postgres: pool, hookSeals: seals, baseUrl }, ['postgres'])],
  })
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

async function tenant() {
  const id = await createProfile(pool)
  const headers = await bearer(pool, id, ['connections:read', 'connections:write'], 100_000)
  const call = async (method: string, path: string, payload?: object) => {
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api/v1/hooks${path}`,
      headers,
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  const secrets = async (endpoint: string) => (await openHookEndpoint(pool, seals, endpoint))?.secrets
  return { id, call, secrets }
}

describe('addresses for notifications', () => {
  it('are made with a secret that is shown once and kept sealed', async () => {
    const { call, secrets } = await tenant()
    const made = await call('POST', '', { provider: 'generic', source: 'HubSpot' })
    expect(made.status).toBe(201)
    const { id, secret, address } = made.body.data
    expect(made.body.data).toMatchObject({ provider: 'generic', source: 'hubspot', rotation_ends_at: null })
    expect(address).toBe(`${baseUrl}/hooks/generic/${id}`)
    expect(secret).toMatch(/^whsec_/)
    expect(await secrets(id)).toEqual([secret])
    const { rows } = await pool.query('SELECT sealed_secret FROM hook_endpoints WHERE id = $1', [id])
    expect(rows[0].sealed_secret.includes(secret)).toBe(false)
    const listed = await call('GET', '')
    expect(listed.body.data).toMatchObject([{ id, address, last_delivery_at: null }])
    expect(JSON.stringify(listed.body)).not.toContain(secret)
  })

  it('take the secret that a provider chose, and rotate it with or without an overlap', async () => {
    const { call, secrets } = await tenant()
    const first = (await call('POST', '', { provider: 'stripe', secret: 'whsec_chosen_by_stripe' })).body.data
    expect(first.secret).toBe('whsec_chosen_by_stripe')
    const second = (await call('POST', `/${first.id}/rotate`, {})).body.data
    expect(Date.parse(second.rotation_ends_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000)
    expect(await secrets(first.id)).toEqual([second.secret, first.secret])
    const third = (await call('POST', `/${first.id}/rotate`, { secret: 'whsec_of_the_provider', at_once: true })).body
      .data
    expect(third.rotation_ends_at).toBeNull()
    expect(await secrets(first.id)).toEqual(['whsec_of_the_provider'])
  })

  it('close for good', async () => {
    const { call, secrets } = await tenant()
    const { id } = (await call('POST', '', { provider: 'shopify' })).body.data
    expect((await call('DELETE', `/${id}`)).status).toBe(200)
    expect(await secrets(id)).toBeUndefined()
    for (const [method, path] of [
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate`],
      ['DELETE', '/x'],
      ['POST', '/x/rotate'],
    ]) {
      const answer = await call(method!, path!, method === 'POST' ? {} : undefined)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
    expect((await call('GET', '')).body.data).toEqual([])
  })

  it.each([
    [{ provider: 'paypal' }],
    [{}],
    [{ provider: 'stripe', source: 'other' }],
    [{ provider: 'generic', source: 'a b' }],
    [{ provider: 'generic', secret: 'not-base64-key-material!' }],
    [{ provider: 'generic', secret: 'whsec_c2hvcnQ=' }],
    [{ provider: 'stripe', secret: 'short' }],
  ])('refuse %j', async (sent) => {
    const { call } = await tenant()
    const { status, body } = await call('POST', '', sent)
    expect([status, body.error.code]).toEqual([422, 'validation_error'])
    if ('secret' in sent) expect(JSON.stringify(body)).not.toContain(sent.secret)
  })

  it('belong to their profile alone', async () => {
    const [mine, theirs] = [await tenant(), await tenant()]
    const { id } = (await mine.call('POST', '', { provider: 'stripe' })).body.data
    expect((await theirs.call('GET', '')).body.data).toEqual([])
    expect((await theirs.call('DELETE', `/${id}`)).status).toBe(404)
    expect((await theirs.call('POST', `/${id}/rotate`, {})).status).toBe(404)
    expect(await mine.secrets(id)).toHaveLength(1)
  })
})

describe('GET /hooks/deliveries', () => {
  it('lists newest first, by status and endpoint, page by page', async () => {
    const { id: profile, call } = await tenant()
    const { id: endpoint } = (await call('POST', '', { provider: 'stripe' })).body.data
    for (let n = 0; n < 5; n++) {
      await pool.query(
        `INSERT INTO hook_deliveries (id, profile_id, endpoint_id, delivery_key, topic, told_at, status, sealed)
         VALUES ($1, $2, $3, $4, $5, now(), $6, 'x')`,
        [randomUUID(), profile, endpoint, Buffer.from([n]), `topic-${n}`, n % 2 ? 'mapped' : 'unmappable'],
      )
    }
    const topics = (body: { data: { topic: string }[] }) => body.data.map(({ topic }) => topic)
    const first = (await call('GET', '/deliveries?limit=2')).body
    expect(topics(first)).toEqual(['topic-4', 'topic-3'])
    const second = (await call('GET', `/deliveries?limit=3&cursor=${first.pagination.cursor}`)).body
    expect(topics(second)).toEqual(['topic-2', 'topic-1', 'topic-0'])
    expect(second.pagination).toEqual({ has_next: false, cursor: null })
    expect(topics((await call('GET', '/deliveries?status=mapped')).body)).toEqual(['topic-3', 'topic-1'])
    expect((await call('GET', `/deliveries?endpoint_id=${randomUUID()}`)).body.data).toEqual([])
    for (const query of ['status=lost', 'limit=0', 'limit=201', 'cursor=x', 'endpoint_id=x']) {
      const { status, body } = await call('GET', `/deliveries?${query}`)
      expect([status, body.error.code], query).toEqual([400, 'invalid_parameter'])
    }
  })
})
