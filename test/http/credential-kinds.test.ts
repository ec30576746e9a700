import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { SignJWT, UnsecuredJWT } from 'jose'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Role } from '../../domain/roles.ts'
import type { Scope } from '../../domain/scopes.ts'
import { accessTokens } from '../../http/access-tokens.ts'
import { mount } from '../../http/app.ts'
import { defineOperation, one } from '../../http/operation.ts'
import { grantApp } from '../../postgres/stores/grants.ts'
import { credentialsOf, testAccess } from '../credentials.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { sampleApp } from './test-app.ts'

const operation = defineOperation<object>()
const Seen = z.object({
  profile: z.string().nullable(),
  workspace: z.string().nullable(),
  kind: z.string(),
  role: z.string().nullable(),
})
const shape = { method: 'GET', summary: 'x', tags: ['x'], response: one(Seen) } as const
const probes = [
  operation({
    ...shape,
    id: 'onProfile',
    url: '/on-profile',
    scopes: ['campaigns:read'],
    handler: ({ profile, credential: { kind, role } }) => ({ profile: profile.id, workspace: null, kind, role }),
  }),
  operation({
    ...shape,
    id: 'inPath',
    url: '/profiles/:profileId/probe',
    scopes: ['campaigns:read'],
    params: z.object({ profileId: z.string() }),
    handler: ({ profile, credential: { kind, role } }) => ({ profile: profile.id, workspace: null, kind, role }),
  }),
  operation({
    ...shape,
    id: 'persons',
    url: '/persons',
    scopes: ['customers:read'],
    handler: ({ profile, credential: { kind, role } }) => ({ profile: profile.id, workspace: null, kind, role }),
  }),
  operation({
    ...shape,
    id: 'write',
    method: 'POST',
    url: '/write',
    scopes: ['attribution:write'],
    handler: ({ profile, credential: { kind, role } }) => ({ profile: profile.id, workspace: null, kind, role }),
  }),
  operation({
    ...shape,
    id: 'eraseEarly',
    method: 'POST',
    url: '/write-before-entitlement',
    scopes: ['attribution:write'],
    needsEntitlement: false,
    handler: ({ profile, credential: { kind, role } }) => ({ profile: profile.id, workspace: null, kind, role }),
  }),
  operation({
    ...shape,
    id: 'inWorkspace',
    url: '/workspaces/:workspaceId/probe',
    grain: 'workspace',
    scopes: ['analytics:read'],
    params: z.object({ workspaceId: z.string() }),
    handler: ({ workspace, credential: { kind, role } }) => ({ profile: null, workspace: workspace.id, kind, role }),
  }),
  operation({
    ...shape,
    id: 'asCaller',
    url: '/caller',
    grain: 'caller',
    scopes: ['workspaces:write'],
    handler: ({ profile, credential: { kind, role } }) => ({
      profile: profile?.id ?? null,
      workspace: null,
      kind,
      role,
    }),
  }),
  operation({
    ...shape,
    id: 'account',
    method: 'POST',
    url: '/account',
    ownAccount: true,
    handler: ({ credential: { kind, role } }) => ({ profile: null, workspace: null, kind, role }),
  }),
]

let pool: pg.Pool
let app: FastifyInstance
let access: ReturnType<typeof testAccess>
let make: ReturnType<typeof credentialsOf>
let profileId: string
let workspaceId: string
let foreign: string

beforeAll(async () => {
  pool = await openPostgres()
  access = testAccess(pool)
  make = credentialsOf(pool, access)
  app = await sampleApp(pool, { authenticate: access.authenticate, mounts: [mount(probes, {}, [])] })
  profileId = await createProfile(pool)
  foreign = await createProfile(pool)
  const { rows } = await pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profileId])
  workspaceId = rows[0].workspace_id
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

const call = async (path: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') => {
  const answer = await app.inject({ method, url: `/api/v1${path}`, headers })
  return { status: answer.statusCode, body: answer.json() }
}
const kinds = ['apiKey', 'session', 'mcp', 'appOn'] as const

describe.each(kinds)('a credential of the kind %s', (kind) => {
  it('acts on its profile, named in the header or in the path, and meta says which', async () => {
    const headers = await make[kind](profileId)
    for (const path of ['/on-profile', `/profiles/${profileId}/probe`]) {
      const { status, body } = await call(path, headers)
      expect(status).toBe(200)
      expect(body).toMatchObject({ data: { profile: profileId }, meta: { profile_id: profileId } })
    }
  })

  it('finds a foreign profile as little as one that does not exist or is malformed', async () => {
    const headers = await make[kind](profileId)
    const answers = []
    for (const id of [foreign, randomUUID(), 'nonsense', "'; DROP TABLE users"]) {
      answers.push(await call('/on-profile', { ...headers, 'x-profile-id': id }))
      answers.push(await call(`/profiles/${encodeURIComponent(id)}/probe`, headers))
    }
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body.error).toMatchObject({ code: 'not_found', message: 'There is no such profile.' })
    }
  })

  it('finds no profile of an archived workspace', async () => {
    const ended = await createProfile(pool)
    const headers = await make[kind](ended)
    await pool.query(
      'UPDATE workspaces SET archived_at = now() WHERE id = (SELECT workspace_id FROM profiles WHERE id = $1)',
      [ended],
    )
    expect((await call('/on-profile', headers)).status).toBe(kind === 'apiKey' ? 401 : 404)
  })
})

it.each(['session', 'mcp', 'appOn'] as const)('the kind %s must name its profile', async (kind) => {
  const { 'x-profile-id': _, ...headers } = (await make[kind](profileId)) as Record<string, string>
  const { status, body } = await call('/on-profile', headers)
  expect(status).toBe(400)
  expect(body.error).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('X-Profile-Id') })
})

describe('a token', () => {
  const claims = (secret: Uint8Array, header: object = {}, payload: object = {}) =>
    new SignJWT({ token_use: 'app', scope: 'campaigns:read', ...payload })
      .setProtectedHeader({ alg: 'HS256', kid: 'test', typ: 'at+jwt', ...header })
      .setIssuer('touchline')
      .setAudience('touchline:api')
      .setJti(randomUUID())
      .setExpirationTime('1h')
      .sign(secret)

  it('of any other make is refused in one way', async () => {
    const secret = randomBytes(64)
    const tokens = accessTokens([{ id: 'test', secret }])
    const { appId } = await make.app()
    const good = await tokens.issue(
      { kind: 'app', subject: appId, id: randomUUID(), scopes: [] },
      new Date(Date.now() + 60_000),
    )
    expect(await tokens.read(good)).toMatchObject({ kind: 'app', subject: appId })
    const none = new UnsecuredJWT({ token_use: 'app', scope: '' }).setIssuer('touchline').setAudience('touchline:api')
    const bad = [
      none.setSubject(appId).setJti(randomUUID()).setExpirationTime('1h').encode(),
      await claims(secret, { alg: 'HS512' }, { sub: appId }),
      await claims(secret, { alg: 'HS384' }, { sub: appId }),
      await claims(randomBytes(64), {}, { sub: appId }),
      await claims(secret, { kid: 'other' }, { sub: appId }),
      await claims(secret, { kid: undefined }, { sub: appId }),
      await claims(secret, { typ: 'JWT' }, { sub: appId }),
      await claims(secret, {}, { sub: 'not-a-uuid' }),
      await claims(secret, {}, { sub: appId, token_use: 'root' }),
      await tokens.issue({ kind: 'app', subject: appId, id: randomUUID(), scopes: [] }, new Date(Date.now() - 1000)),
      await new SignJWT({ token_use: 'app', scope: '' })
        .setProtectedHeader({ alg: 'HS256', kid: 'test', typ: 'at+jwt' })
        .setIssuer('touchline')
        .setAudience('somebody-else')
        .setSubject(appId)
        .setJti(randomUUID())
        .setExpirationTime('1h')
        .sign(secret),
      `${good.slice(0, -2)}AA`,
      good.split('.').slice(0, 2).join('.'),
      'ey.ey.ey',
      'eyJhbGciOiJub25lIn0.e30.',
    ]
    for (const token of bad) expect(await tokens.read(token), token).toBeUndefined()
    const messages = new Set<string>()
    for (const token of bad) {
      const { status, body } = await call('/on-profile', { authorization: `Bearer ${token}` })
      expect(status).toBe(401)
      messages.add(JSON.stringify({ ...body.error, request_id: '' }))
    }
    expect(messages.size).toBe(1)
  })

  it('is verified by a key that no longer signs, until that key goes', async () => {
    const [old, young] = [
      { id: 'old', secret: randomBytes(32) },
      { id: 'young', secret: randomBytes(32) },
    ]
    const token = { kind: 'app', subject: randomUUID(), id: randomUUID(), scopes: [] } as const
    const text = await accessTokens([old]).issue({ ...token, scopes: [] }, new Date(Date.now() + 60_000))
    expect(await accessTokens([young, old]).read(text)).toEqual(token)
    expect(await accessTokens([young]).read(text)).toBeUndefined()
  })
})

describe('an app', () => {
  it('holds on a profile what its token, its registration and the grant all allow', async () => {
    const { appId } = await make.app(['analytics', 'customers:read'])
    await grantApp(pool, { appId, profileId, scopes: ['campaigns:read', 'attribution:write'] })
    const on = { 'x-profile-id': profileId }
    const full = { ...(await make.appToken(appId)), ...on }
    expect((await call('/on-profile', full)).status).toBe(200)
    expect((await call('/persons', full)).body.error.code).toBe('insufficient_scope')
    expect((await call('/write', full, 'POST')).body.error.code).toBe('insufficient_scope')
    const narrow = { ...(await make.appToken(appId, ['conversions:read'])), ...on }
    expect((await call('/on-profile', narrow)).body.error).toMatchObject({ required_scopes: ['campaigns:read'] })
  })

  it('that was shut out holds nothing, nor do its keys', async () => {
    const { appId } = await make.app()
    const token = await make.appToken(appId)
    const key = await make.apiKey(profileId, ['campaigns:read'], appId)
    await pool.query('UPDATE apps SET revoked_at = now() WHERE id = $1', [appId])
    expect((await call('/caller', token)).status).toBe(401)
    expect((await call('/on-profile', key)).status).toBe(401)
  })
})

describe('a session', () => {
  it('changes nothing without its own token, or from another site', async () => {
    const headers = await make.session(profileId)
    const { 'x-csrf-token': token = '', ...bare } = headers
    expect((await call('/account', headers, 'POST')).status).toBe(200)
    const forged: Record<string, string>[] = [
      bare,
      { ...bare, 'x-csrf-token': `${token}x` },
      { ...bare, 'x-csrf-token': access.cookies.csrfToken(randomUUID()) },
      { ...headers, origin: 'https://evil.example' },
      { ...headers, origin: 'null' },
      { ...headers, 'sec-fetch-site': 'cross-site' },
      { ...headers, 'sec-fetch-site': 'same-site' },
    ]
    for (const attempt of forged) {
      const { status, body } = await call('/account', attempt, 'POST')
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ code: 'forbidden', reason: 'csrf' })
    }
    const own = { ...headers, origin: 'https://touchline.example', 'sec-fetch-site': 'same-origin' }
    expect((await call('/account', own, 'POST')).status).toBe(200)
    expect((await call('/on-profile', bare)).status).toBe(200)
  })

  it('is not looked at when the request carries another credential', async () => {
    const headers = await make.session(profileId)
    expect((await call('/on-profile', { ...headers, authorization: 'Bearer nonsense' })).status).toBe(401)
  })

  it('ends with its time, its revocation and a day of silence', async () => {
    for (const end of [
      "expires_at = now() - interval '1 s'",
      'revoked_at = now()',
      "last_seen_at = now() - interval '25 h'",
    ]) {
      const userId = await make.user()
      const headers = await make.sessionOf(userId)
      await pool.query(`UPDATE sessions SET ${end} WHERE user_id = $1`, [userId])
      expect((await call('/account', headers, 'POST')).status, end).toBe(401)
    }
  })

  it.each<[Role, boolean]>([
    ['owner', true],
    ['admin', true],
    ['member', false],
  ])('of the role %s reads, and writes: %s', async (role, writes) => {
    const headers = await make.session(profileId, role)
    expect((await call('/on-profile', headers)).body.data.role).toBe(role)
    expect((await call('/persons', headers)).status).toBe(200)
    expect((await call('/write', headers, 'POST')).status).toBe(writes ? 200 : 403)
  })

  it('acts on its own workspace and finds no other', async () => {
    const headers = await make.session(profileId, 'admin')
    const { status, body } = await call(`/workspaces/${workspaceId}/probe`, headers)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: { profile: null, workspace: workspaceId, kind: 'session', role: 'admin' },
      meta: { profile_id: null },
    })
    for (const id of [randomUUID(), 'nonsense']) {
      expect((await call(`/workspaces/${id}/probe`, headers)).body.error.code).toBe('not_found')
    }
  })
})

describe('an MCP token', () => {
  it('reads by default, without persons, and creates nothing', async () => {
    const headers = await make.mcp(profileId, ['mcp:read'])
    expect((await call('/on-profile', headers)).status).toBe(200)
    expect((await call('/persons', headers)).body.error.code).toBe('insufficient_scope')
    expect((await call('/caller', headers)).body.error).toMatchObject({
      code: 'insufficient_scope',
      required_scopes: ['workspaces:write'],
    })
    expect((await call('/caller', await make.mcp(profileId, ['mcp:write']))).status).toBe(200)
    expect((await call('/account', headers, 'POST')).body.error.code).toBe('forbidden')
  })

  it('never does more than its person may', async () => {
    const headers = await make.mcp(profileId, ['mcp:write', 'attribution:write'], 'member')
    expect((await call('/write', headers, 'POST')).body.error.code).toBe('insufficient_scope')
  })
})

describe('a healthcare profile', () => {
  const personal: Scope[] = ['customers:read', 'visitors:read', 'analytics_pii', 'campaigns:read']
  it.each([
    ["UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1"],
    ["UPDATE profiles SET privacy_mode = 'platform_safe' WHERE id = $1"],
    ['UPDATE workspaces SET is_healthcare_agency = true WHERE id = (SELECT workspace_id FROM profiles WHERE id = $1)'],
  ])('shows persons to people at the console alone: %s', async (change) => {
    const clinic = await createProfile(pool)
    await pool.query(change, [clinic])
    for (const kind of ['apiKey', 'appOn', 'mcp'] as const) {
      const headers = await make[kind](clinic, personal)
      expect((await call('/persons', headers)).body.error, kind).toMatchObject({ code: 'healthcare_scope_forbidden' })
      expect((await call('/on-profile', headers)).status, kind).toBe(200)
    }
    expect((await call('/persons', await make.session(clinic))).status).toBe(200)
  })
})

describe('a profile that an app provisioned', () => {
  it('takes no write until the app has enabled it, and is read all the same', async () => {
    const { appId } = await make.app()
    const provisioned = await createProfile(pool)
    await pool.query('UPDATE profiles SET provisioning_app_id = $2 WHERE id = $1', [provisioned, appId])
    const headers = await make.session(provisioned)
    const refused = await call('/write', headers, 'POST')
    expect(refused.status).toBe(409)
    expect(refused.body.error.code).toBe('entitlement_required')
    expect((await call('/on-profile', headers)).status).toBe(200)
    expect((await call('/write-before-entitlement', headers, 'POST')).status).toBe(200)
    await pool.query('UPDATE profiles SET is_attribution_enabled = true WHERE id = $1', [provisioned])
    expect((await call('/write', await make.session(provisioned), 'POST')).status).toBe(200)
  })
})
