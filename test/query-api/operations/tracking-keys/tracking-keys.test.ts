import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { issueTrackingKey } from '../../../../query-api/operations/tracking-keys/issue-tracking-key.ts'
import { listTrackingKeys } from '../../../../query-api/operations/tracking-keys/list-tracking-keys.ts'
import { revokeTrackingKey } from '../../../../query-api/operations/tracking-keys/revoke-tracking-key.ts'
import { baseUrl, bearer, captureLog } from '../../../http/test-app.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'

let pool: pg.Pool
let app: FastifyInstance
let headers: { authorization: string }
let profileId: string
const url = '/api/v1/tracking/keys'

beforeAll(async () => {
  pool = await openPostgres()
  const operations = [issueTrackingKey, listTrackingKeys, revokeTrackingKey]
  app = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(pool),
    // None of these operations reads the warehouse.
    mounts: [mount(operations, { postgres: pool, clickhouse: undefined as never }, ['postgres'])],
  })
})
beforeEach(async () => {
  profileId = await createProfile(pool)
  headers = await bearer(pool, profileId, ['attribution:write', 'analytics:read'], 1000)
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

const issue = () => app.inject({ method: 'POST', url, headers })

describe('tracking keys', () => {
  it('are issued once: 201 for a new one, 200 with the same one afterwards', async () => {
    const first = await issue()
    expect(first.statusCode).toBe(201)
    expect(first.json()).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key: expect.stringMatching(/^tl_pub_[0-9A-Za-z]{24}$/),
        status: 'active',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_seen_at: null,
      },
      meta: { profile_id: profileId },
    })
    const second = await issue()
    expect(second.statusCode).toBe(200)
    expect(second.json()).toEqual(first.json())
  })

  it('stay one under concurrent requests, of which exactly one hears 201', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, issue))
    expect(new Set(answers.map((answer) => answer.json().data.key)).size).toBe(1)
    expect(answers.filter((answer) => answer.statusCode === 201)).toHaveLength(1)
    const { rows } = await pool.query('SELECT count(*)::int AS n FROM tracking_keys WHERE profile_id = $1', [profileId])
    expect(rows[0].n).toBe(1)
  })

  it('take an empty JSON body as none', async () => {
    const json = { ...headers, 'content-type': 'application/json' }
    expect((await app.inject({ method: 'POST', url, headers: json, payload: '' })).statusCode).toBe(201)
    expect((await app.inject({ method: 'POST', url, headers: json, payload: '{}' })).statusCode).toBe(200)
  })

  it('are listed while they are active', async () => {
    expect((await app.inject({ url, headers })).json()).toEqual({
      data: [],
      pagination: { has_next: false, cursor: null },
      meta: { profile_id: profileId },
    })
    const { data } = (await issue()).json()
    expect((await app.inject({ url, headers })).json().data).toEqual([data])
  })

  it('are revoked once, and the next one is another', async () => {
    const { data } = (await issue()).json()
    const revoked = await app.inject({ method: 'DELETE', url: `${url}/${data.id}`, headers })
    expect(revoked.statusCode).toBe(200)
    expect(revoked.json().data).toEqual({ ...data, status: 'revoked' })
    expect((await app.inject({ method: 'DELETE', url: `${url}/${data.id}`, headers })).statusCode).toBe(404)
    expect((await app.inject({ url, headers })).json().data).toEqual([])
    const next = await issue()
    expect(next.statusCode).toBe(201)
    expect(next.json().data.key).not.toBe(data.key)
  })

  it('of another profile, and malformed ids, are not found and stay as they are', async () => {
    const { data } = (await issue()).json()
    const other = await bearer(pool, await createProfile(pool), ['attribution:write', 'analytics:read'])
    for (const id of [data.id, 'nonsense', '%27%20OR%201=1']) {
      const response = await app.inject({ method: 'DELETE', url: `${url}/${id}`, headers: other })
      expect(response.json().error).toMatchObject({ code: 'not_found', status: 404 })
    }
    expect((await app.inject({ url, headers: other })).json().data).toEqual([])
    expect((await app.inject({ url, headers })).json().data).toEqual([data])
  })

  it('are written with attribution:write only', async () => {
    const reader = await bearer(pool, profileId, ['analytics:read'])
    const response = await app.inject({ method: 'POST', url, headers: reader })
    expect(response.json().error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['attribution:write'] })
    expect((await app.inject({ url, headers: reader })).statusCode).toBe(200)
  })
})
