import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { piiAccessLog } from '../../http/access-log.ts'
import { ApiError, defineOperation, limit, one, page } from '../../http/operation.ts'
import { mount } from '../../http/routes.ts'
import { asProfile } from '../../postgres/as-profile.ts'
import { writeAccesses } from '../../postgres/stores/pii-access-log.ts'
import { credentialsOf, testAccess } from '../credentials.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { bearer, sampleApp } from './test-app.ts'

const operation = defineOperation<object>()
const Person = z.object({ email: z.string() })
const rest = { method: 'GET', tags: ['Persons'], scopes: ['customers:read'], readsPersons: true } as const

const listPersons = operation({
  ...rest,
  id: 'listPersons',
  url: '/persons',
  summary: 'Persons',
  query: z.object({ limit: limit({ default: 3, max: 10, min: 0 }), email: z.string().optional() }),
  response: page(Person),
  handler: ({ query }) => Array.from({ length: query.limit }, () => ({ email: 'ana@example.com' })),
})
const readPerson = operation({
  ...rest,
  id: 'readPerson',
  url: '/persons/:id',
  summary: 'One person',
  params: z.object({ id: z.string() }),
  response: one(Person.nullable()),
  handler: ({ params, persons }) => {
    if (params.id === 'missing') throw new ApiError('customer_not_found')
    if (params.id === 'broken') throw new Error('unexpected')
    if (params.id === 'household') persons(4)
    return params.id === 'nobody' ? null : { email: 'ana@example.com' }
  },
})

let pool: pg.Pool
let app: FastifyInstance
let profileId: string
let headers: { authorization: string }
beforeAll(async () => {
  pool = await openPostgres()
  app = await sampleApp(pool, { mounts: [mount([listPersons, readPerson], {}, [])] })
})
beforeEach(async () => {
  profileId = await createProfile(pool)
  headers = await bearer(pool, profileId, ['customers:read'], 1000)
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

const get = (url: string, as = headers) => app.inject({ url: `/api/v1${url}`, headers: as })
const entries = async () =>
  (await pool.query('SELECT * FROM pii_access_log WHERE profile_id = $1 ORDER BY id', [profileId])).rows

describe('a person-level read', () => {
  it('is in the log: who, when, through which route, with what result, how many persons', async () => {
    await get('/persons?email=ana@example.com')
    const { rows } = await pool.query('SELECT id FROM api_keys WHERE profile_id = $1', [profileId])
    const { workspace_id } = (await pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profileId])).rows[0]
    expect(await entries()).toEqual([
      {
        id: expect.any(String),
        occurred_at: expect.any(Date),
        workspace_id,
        profile_id: profileId,
        credential_kind: 'api_key',
        credential_id: rows[0].id,
        app_id: null,
        user_id: null,
        operation: 'listPersons',
        method: 'GET',
        route: '/api/v1/persons',
        status: 200,
        result: 'read',
        person_count: 3,
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
  })

  it.each([
    ['/persons?limit=0', 'empty', 0, 200],
    ['/persons/ana@example.com', 'read', 1, 200],
    ['/persons/nobody', 'empty', 0, 200],
    ['/persons/household', 'read', 4, 200],
    ['/persons/missing', 'refused', 0, 404],
    ['/persons/broken', 'failed', 0, 500],
    ['/persons?limit=11', 'refused', 0, 400],
  ])('%s is recorded as %s with %i persons', async (url, result, count, status) => {
    const answer = await get(url, { ...headers, 'x-request-id': '+56911112222'.replace('+', '') } as never)
    expect(answer.statusCode).toBe(status)
    const [entry] = await entries()
    expect(entry).toMatchObject({ result, person_count: count, status, request_id: null })
    expect(JSON.stringify(entry)).not.toMatch(/ana@|56911112222/)
  })

  it('is recorded when a scope is missing as well, but not for nobody, and not in a flood', async () => {
    const poor = await bearer(pool, profileId, ['analytics:read'], 1)
    expect((await get('/persons', poor)).statusCode).toBe(403)
    expect((await get('/persons', poor)).statusCode).toBe(429)
    expect((await get('/persons', { authorization: 'Bearer nonsense' })).statusCode).toBe(401)
    expect(await entries()).toMatchObject([{ result: 'refused', status: 403, person_count: 0 }])
  })

  it.each([
    ['session', 'session'],
    ['mcp', 'mcp'],
    ['app', 'appOn'],
  ] as const)('is recorded for a credential of kind %s', async (kind, made) => {
    const access = testAccess(pool)
    const other = await sampleApp(pool, {
      authenticate: access.authenticate,
      mounts: [mount([listPersons], {}, [])],
    })
    const answer = await other.inject({
      url: '/api/v1/persons',
      headers: await credentialsOf(pool, access)[made](profileId),
    })
    expect(answer.statusCode).toBe(200)
    const who = kind === 'app' ? { app_id: expect.any(String) } : { user_id: expect.any(String) }
    expect(await entries()).toMatchObject([{ credential_kind: kind, credential_id: expect.any(String), ...who }])
    await other.close()
  })

  it('is on disk before the answer goes out, and refused when it cannot be written', async () => {
    let isWritten: ((value?: unknown) => void) | undefined
    let isAnswered = false
    const slow = await sampleApp(pool, {
      accessLog: () => new Promise<never>((resolve) => (isWritten = resolve as never)),
      mounts: [mount([listPersons], {}, [])],
    })
    const answer = slow.inject({ url: '/api/v1/persons', headers }).then((response) => {
      isAnswered = true
      return response
    })
    await expect.poll(() => isWritten).toBeDefined()
    expect(isAnswered).toBe(false)
    isWritten!()
    expect((await answer).statusCode).toBe(200)
    await slow.close()

    const broken = await sampleApp(pool, {
      accessLog: () => Promise.reject(new Error('disk full')),
      mounts: [mount([listPersons], {}, [])],
    })
    const refused = await broken.inject({ url: '/api/v1/persons', headers })
    expect(refused.json().error).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(refused.body).not.toContain('ana@')
    await broken.close()
  })

  it('shares its statement with reads that come at once', async () => {
    let statements = 0
    const counting = {
      query: (...args: [string]) => {
        statements++
        return pool.query(...args)
      },
    }
    const crowded = await sampleApp(pool, {
      accessLog: piiAccessLog(counting as never),
      mounts: [mount([listPersons], {}, [])],
    })
    await Promise.all(Array.from({ length: 40 }, () => crowded.inject({ url: '/api/v1/persons', headers })))
    expect(await entries()).toHaveLength(40)
    expect(statements).toBeLessThan(20)
    await crowded.close()
  })
})

describe('the log itself', () => {
  it('cannot be read or changed by the role that serves', async () => {
    for (const sql of ['SELECT 1 FROM pii_access_log', 'DELETE FROM pii_access_log']) {
      await expect(asProfile(pool, profileId, (tx) => tx.query(sql))).rejects.toThrow(/permission denied/)
    }
  })

  it('writes many entries in one statement', async () => {
    const { rows } = await pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profileId])
    const entry = {
      workspaceId: rows[0].workspace_id,
      profileId,
      credentialKind: 'api_key' as const,
      credentialId: 'k',
      appId: null,
      userId: null,
      operation: 'listPersons',
      method: 'GET',
      route: '/api/v1/persons',
      status: 200,
      result: 'read' as const,
      personCount: 2,
      requestId: null,
    }
    await writeAccesses(pool, Array(500).fill(entry))
    expect(await entries()).toHaveLength(500)
  })
})
