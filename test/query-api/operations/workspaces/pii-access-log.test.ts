import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp, mount } from '../../../../http/app.ts'
import { createApp } from '../../../../postgres/stores/apps.ts'
import { grantApp } from '../../../../postgres/stores/grants.ts'
import { writeAccesses } from '../../../../postgres/stores/pii-access-log.ts'
import { operations } from '../../../../query-api/operations/index.ts'
import { credentialsOf, testAccess } from '../../../credentials.ts'
import { baseUrl, captureLog } from '../../../http/test-app.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'

let pool: pg.Pool
let app: FastifyInstance
let as: ReturnType<typeof credentialsOf>
let workspaceId: string
let profileId: string
let siblingId: string
let appId: string
let owner: Record<string, string>
const url = () => `/api/v1/workspaces/${workspaceId}/pii-access-log`

beforeAll(async () => {
  pool = await openPostgres()
  const access = testAccess(pool)
  as = credentialsOf(pool, access)
  app = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: access.authenticate,
    mounts: [mount(operations, { postgres: pool, clickhouse: undefined as never } as never, ['postgres'])],
  })
})
beforeEach(async () => {
  profileId = await createProfile(pool)
  workspaceId = (await pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profileId])).rows[0].workspace_id
  const sibling = await pool.query("INSERT INTO profiles (workspace_id, name) VALUES ($1, 'sibling') RETURNING id", [
    workspaceId,
  ])
  siblingId = sibling.rows[0].id
  const made = await createApp(pool, {
    name: 'app',
    tier: 'standard',
    redirectUris: [],
    returnOrigins: [],
    scopes: ['analytics'],
  })
  appId = made.appId
  owner = await as.session(profileId)
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

const entry = (parts: Partial<Parameters<typeof writeAccesses>[1][number]> = {}) => ({
  workspaceId,
  profileId,
  credentialKind: 'api_key' as const,
  credentialId: 'key-1',
  appId: null,
  userId: null,
  operation: 'readJourney',
  method: 'GET',
  route: '/api/v1/customers/{id}/journey',
  status: 200,
  result: 'read' as const,
  personCount: 1,
  requestId: null,
  ...parts,
})
const get = async (query = '', headers = owner) => {
  const answer = await app.inject({ url: `${url()}${query}`, headers })
  return { status: answer.statusCode, ...answer.json() }
}

describe('the PII access log over the API', () => {
  it('shows who read, when, through which route, with what result', async () => {
    const userId = randomUUID()
    await writeAccesses(pool, [
      entry({ credentialKind: 'session', credentialId: 's-1', userId, result: 'empty', personCount: 0 }),
    ])
    expect((await get()).data).toEqual([
      {
        id: expect.any(String),
        occurred_at: expect.stringMatching(/Z$/),
        profile_id: profileId,
        credential: { kind: 'session', id: 's-1', app_id: null, user_id: userId },
        operation: 'readJourney',
        method: 'GET',
        route: '/api/v1/customers/{id}/journey',
        status: 200,
        result: 'empty',
        person_count: 0,
        request_id: null,
      },
    ])
  })

  it('is paged newest first, each entry once, while new ones come', async () => {
    for (let n = 0; n < 4; n++)
      await writeAccesses(
        pool,
        Array.from({ length: 5 }, () => entry({ personCount: n })),
      )
    const seen: string[] = []
    const counts: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { data: { id: string; person_count: number }[]; pagination: { cursor: string | null } } = await get(
        `?limit=7${cursor ? `&cursor=${cursor}` : ''}`,
      )
      seen.push(...page.data.map(({ id }) => id))
      counts.push(...page.data.map(({ person_count }) => person_count))
      cursor = page.pagination.cursor
      await writeAccesses(pool, [entry({ personCount: 9 })])
    }
    expect(new Set(seen).size).toBe(20)
    expect(seen).toHaveLength(20)
    expect(counts).toEqual([...counts].sort((a, b) => b - a))
  })

  it('is filtered by profile, credential, route and time', async () => {
    await writeAccesses(pool, [
      entry(),
      entry({ profileId: siblingId }),
      entry({ credentialId: 'key-2' }),
      entry({ operation: 'listCustomers', route: '/api/v1/customers' }),
    ])
    const count = async (query: string) => (await get(query)).data.length
    expect(await count('')).toBe(4)
    expect(await count(`?profile_id=${siblingId}`)).toBe(1)
    expect(await count('?credential_id=key-2')).toBe(1)
    expect(await count('?route=listCustomers')).toBe(1)
    expect(await count(`?route=${encodeURIComponent('/api/v1/customers/{id}/journey')}`)).toBe(3)
    const today = new Date().toISOString().slice(0, 10)
    expect(await count(`?from=${today}&to=${today}`)).toBe(4)
    expect(await count('?to=2020-01-01')).toBe(0)
    expect(await count(`?from=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).toBe(0)
  })

  it.each([
    '?limit=0',
    '?limit=201',
    '?limit=x',
    '?cursor=nonsense',
    '?from=yesterday',
    '?profile_id=1',
    `?route=${'x'.repeat(201)}`,
  ])('refuses %s', async (query) => {
    expect(await get(query)).toMatchObject({ status: 400, error: { code: 'invalid_parameter' } })
  })

  it('takes a cursor for the same filters only', async () => {
    await writeAccesses(pool, [entry(), entry()])
    const { pagination } = await get('?limit=1')
    expect((await get(`?limit=1&cursor=${pagination.cursor}`)).data).toHaveLength(1)
    expect((await get(`?limit=1&route=x&cursor=${pagination.cursor}`)).status).toBe(400)
  })
})

describe('who sees it', () => {
  beforeEach(() =>
    writeAccesses(pool, [
      entry(),
      entry({ profileId: siblingId }),
      entry({ appId }),
      entry({ profileId: siblingId, appId }),
    ]),
  )
  const shown = async (headers: Record<string, string>, query = '') => (await get(query, headers)).data?.length

  it('owners and admins: all of it; members: nothing', async () => {
    expect(await shown(owner)).toBe(4)
    expect(await shown(await as.session(profileId, 'admin'))).toBe(4)
    expect(await shown(await as.mcp(profileId))).toBe(4)
    expect(await get('', await as.session(profileId, 'member'))).toMatchObject({
      status: 403,
      error: { code: 'forbidden' },
    })
  })

  it('an API key: its own profile; a partner’s key: its own app there', async () => {
    const key = await as.apiKey(profileId, ['analytics:read'])
    expect(await shown(key)).toBe(2)
    expect(await shown(key, `?profile_id=${siblingId}`)).toBe(0)
    await grantApp(pool, { appId, profileId, scopes: ['analytics:read'] })
    expect(await shown(await as.apiKey(profileId, ['analytics:read'], appId))).toBe(1)
  })

  it('nobody of another workspace: it answers like one that does not exist', async () => {
    const other = await createProfile(pool)
    for (const headers of [
      await as.session(other),
      await as.apiKey(other),
      await as.mcp(other),
      await as.appOn(other),
    ]) {
      const foreign = await app.inject({ url: url(), headers })
      const unknown = await app.inject({ url: url().replace(workspaceId, randomUUID()), headers })
      const malformed = await app.inject({ url: url().replace(workspaceId, 'nonsense'), headers })
      const bodies = [foreign, unknown, malformed].map((answer) => ({ ...answer.json().error, request_id: '' }))
      expect(bodies[0]).toMatchObject({ code: 'not_found', status: 404 })
      expect(bodies[1]).toEqual(bodies[0])
      expect(bodies[2]).toEqual(bodies[0])
    }
  })
})
