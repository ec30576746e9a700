import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../../../domain/scopes.ts'
import { grantApp } from '../../../../postgres/stores/grants.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'
import { type AccessApp, openAccessApp } from '../access-app.ts'

let pool: pg.Pool
let access: AccessApp
let profileId: string
beforeAll(async () => {
  pool = await openPostgres()
  access = await openAccessApp(pool)
})
beforeEach(async () => {
  profileId = await createProfile(pool)
})
afterAll(async () => {
  await access.app.close()
  await pool.end()
})

const path = (keyId = '') => `/profiles/${profileId}/keys${keyId && `/${keyId}`}`
const mint = (headers: Record<string, string>, body: object = {}) => access.call('POST', path(), headers, body)

/** A partner with a grant on the profile, and the headers of its token. */
async function partner(scopes: Scope[]) {
  const { appId } = await access.make.app()
  await grantApp(pool, { appId, profileId, scopes })
  return { appId, headers: await access.make.appToken(appId) }
}
const works = async (key: string, at = access) =>
  (await at.call('GET', `/profiles/${profileId}`, { authorization: `Bearer ${key}` })).status

describe('an app', () => {
  it('mints a key that has what the grant has, shown once and stored without its secret', async () => {
    const { headers, appId } = await partner(['analytics', 'customers:read'])
    const { status, body } = await mint(headers, { name: 'Reporting' })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      name: 'Reporting',
      app_id: appId,
      scopes: ['analytics', 'customers:read'],
      rate_limit_per_minute: 300,
      status: 'active',
      expires_at: null,
      key: expect.stringMatching(/^tl_live_/),
    })
    expect(await works(body.data.key)).toBe(200)
    const listed = await access.call('GET', path(), headers)
    expect(listed.body.data).toEqual([expect.objectContaining({ id: body.data.id })])
    expect(JSON.stringify(listed.body)).not.toContain(body.data.key)
    expect(access.log.text()).not.toContain(body.data.key)
  })

  it('mints within the grant and its token, and hears what is missing', async () => {
    const { headers, appId } = await partner(['analytics', 'attribution:write'])
    expect((await mint(headers, { scopes: ['campaigns:read'] })).body.data.scopes).toEqual(['campaigns:read'])
    const beyond = await mint(headers, { scopes: ['campaigns:read', 'customers:read', 'goals:write'] })
    expect(beyond.status).toBe(403)
    expect(beyond.body.error).toMatchObject({
      code: 'insufficient_scope',
      required_scopes: ['customers:read', 'goals:write'],
    })
    const narrow = await access.make.appToken(appId, ['profiles:write', 'analytics'])
    expect((await mint(narrow)).body.data.scopes).toEqual(['analytics'])
    expect((await mint(narrow, { scopes: ['attribution:write'] })).status).toBe(403)
    expect((await mint(await access.make.appToken(appId, ['analytics']))).body.error.code).toBe('insufficient_scope')
  })

  it('has no part in a profile without a grant, nor in the keys of others', async () => {
    const { headers } = await partner(['analytics'])
    const stranger = await access.make.appToken((await access.make.app()).appId)
    expect((await mint(stranger)).status).toBe(404)
    const other = await partner(['analytics'])
    const { body } = await mint(headers)
    expect((await access.call('GET', path(), other.headers)).body.data).toEqual([])
    expect((await access.call('DELETE', path(body.data.id), other.headers)).status).toBe(404)
    expect((await access.call('POST', `${path(body.data.id)}/rotate`, other.headers)).status).toBe(404)
    for (const id of ['%00', 'x'.repeat(400), '..', "'--"]) {
      expect((await access.call('DELETE', path(encodeURI(id)), headers)).status, id).toBe(404)
    }
    expect(await works(body.data.key)).toBe(200)
  })

  it('gives its keys no more requests than its tier has', async () => {
    const { headers, appId } = await partner(['analytics'])
    await pool.query("UPDATE apps SET tier = 'elevated' WHERE id = $1", [appId])
    expect((await mint(headers, { rate_limit_per_minute: 1200 })).status).toBe(201)
    expect((await mint(headers, { rate_limit_per_minute: 1201 })).body.error.code).toBe('validation_error')
  })
})

describe('a person', () => {
  it.each(['owner', 'admin'] as const)('who is %s mints keys of the workspace and sees all', async (role) => {
    const headers = await access.make.session(profileId, role)
    const { status, body } = await mint(headers, { scopes: ['customers:read', 'campaigns:read'] })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ app_id: null, scopes: ['customers:read', 'campaigns:read'] })
    const { headers: app } = await partner(['analytics'])
    await mint(app)
    expect((await access.call('GET', path(), headers)).body.data).toHaveLength(2)
  })

  it('who is a member manages none', async () => {
    const headers = await access.make.session(profileId, 'member')
    expect((await mint(headers, { scopes: ['campaigns:read'] })).status).toBe(403)
    expect((await access.call('GET', path(), headers)).status).toBe(403)
  })

  it('names the scopes', async () => {
    const headers = await access.make.session(profileId)
    const { status, body } = await mint(headers)
    expect(status).toBe(422)
    expect(body.error.message).toContain('scopes')
  })
})

it('takes neither an API key nor an MCP token', async () => {
  for (const headers of [await access.make.apiKey(profileId), await access.make.mcp(profileId)]) {
    expect((await mint(headers, { scopes: ['campaigns:read'] })).body.error.code).toBe('forbidden')
  }
})

it.each([
  ['a scope that does not exist', { scopes: ['customers:read', 'everything:read'] }],
  ['no scope at all', { scopes: [] }],
  ['a past expiry', { expires_at: '2020-01-01T00:00:00Z' }],
  ['an impossible limit', { rate_limit_per_minute: 0 }],
  ['a name that is none', { name: '  ' }],
])('refuses %s with 422, and writes nothing', async (_why, body) => {
  const { headers } = await partner(['analytics', 'customers:read'])
  const answer = await mint(headers, body)
  expect(answer.status).toBe(422)
  expect(answer.body.error.code).toBe('validation_error')
  const { rows } = await pool.query('SELECT FROM api_keys WHERE profile_id = $1', [profileId])
  expect(rows).toHaveLength(0)
})

describe('on a healthcare profile', () => {
  beforeEach(() => pool.query("UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1", [profileId]))

  it.each<Scope>(['customers:read', 'visitors:read', 'analytics_pii'])('nobody gets a key with %s', async (scope) => {
    const { headers } = await partner(['analytics_pii'])
    for (const caller of [headers, await access.make.session(profileId)]) {
      const { status, body } = await mint(caller, { scopes: ['analytics', scope] })
      expect(status).toBe(403)
      expect(body.error.code).toBe('healthcare_scope_forbidden')
    }
  })

  it('a replacement lacks what is forbidden', async () => {
    const { headers } = await partner(['analytics_pii', 'customers:read', 'attribution:write'])
    const { body } = await mint(headers)
    expect(body.data.scopes.sort()).toEqual(['analytics', 'attribution:write'])
  })
})

describe('revocation', () => {
  it('holds within two seconds on every instance', async () => {
    const second = await openAccessApp(pool, access.access)
    const { headers } = await partner(['analytics'])
    const { body } = await mint(headers)
    expect([await works(body.data.key), await works(body.data.key, second)]).toEqual([200, 200])
    const revoked = await access.call('DELETE', path(body.data.id), headers)
    expect(revoked.body.data).toMatchObject({ id: body.data.id, status: 'revoked' })
    expect((await access.call('DELETE', path(body.data.id), headers)).status).toBe(404)
    await expect
      .poll(async () => [await works(body.data.key), await works(body.data.key, second)], {
        timeout: 2000,
        interval: 50,
      })
      .toEqual([401, 401])
    await second.app.close()
  })

  it('of a grant ends the keys under it', async () => {
    const { headers, appId } = await partner(['analytics'])
    const { body } = await mint(headers)
    const owner = await access.make.session(profileId)
    const grants = await access.call('GET', `/profiles/${profileId}/grants`, owner)
    expect(grants.body.data).toMatchObject([{ app_id: appId, scopes: ['analytics'] }])
    const taken = await access.call('DELETE', `/profiles/${profileId}/grants/${appId}`, owner)
    expect(taken.status).toBe(200)
    await expect.poll(() => works(body.data.key), { timeout: 2000 }).toBe(401)
    await expect.poll(async () => (await mint(headers)).status, { timeout: 2000 }).toBe(404)
    expect((await access.call('DELETE', `/profiles/${profileId}/grants/${appId}`, owner)).status).toBe(404)
    expect((await access.call('DELETE', `/profiles/${profileId}/grants/nonsense`, owner)).status).toBe(404)
  })

  it('of a scope in the grant reaches keys that have it', async () => {
    const { headers, appId } = await partner(['analytics', 'customers:read'])
    const { body } = await mint(headers)
    const owner = await access.make.session(profileId)
    const put = await access.call('PUT', `/profiles/${profileId}/grants/${appId}`, owner, {
      scopes: ['customers:read'],
    })
    expect(put.body.data.scopes).toEqual(['customers:read'])
    await expect.poll(() => works(body.data.key), { timeout: 2000 }).toBe(403)
  })
})

describe('rotation', () => {
  it('ends the old key at once, or after the overlap', async () => {
    const { headers } = await partner(['analytics'])
    const first = (await mint(headers, { name: 'Reporting', rate_limit_per_minute: 77 })).body.data
    const rotated = await access.call('POST', `${path(first.id)}/rotate`, headers, { overlap_seconds: 3600 })
    expect(rotated.status).toBe(201)
    const second = rotated.body.data
    expect(second).toMatchObject({ name: 'Reporting', rate_limit_per_minute: 77, scopes: ['analytics'] })
    expect([await works(first.key), await works(second.key)]).toEqual([200, 200])
    const listed = (await access.call('GET', path(), headers)).body.data
    const old = listed.find((key: { id: string }) => key.id === first.id)
    expect(old.rotated_to).toBe(second.id)
    const left = Date.parse(old.expires_at) - Date.now()
    expect(left).toBeGreaterThan(3500_000)
    expect(left).toBeLessThanOrEqual(3600_000)
    const third = (await access.call('POST', `${path(second.id)}/rotate`, headers)).body.data
    await expect.poll(() => works(second.key), { timeout: 2000 }).toBe(401)
    expect(await works(third.key)).toBe(200)
    expect((await access.call('POST', `${path(second.id)}/rotate`, headers)).status).toBe(404)
  })

  it('leaves out what the grant no longer has', async () => {
    const { headers, appId } = await partner(['analytics', 'customers:read'])
    const { body } = await mint(headers)
    await grantApp(pool, { appId, profileId, scopes: ['analytics'] })
    await expect
      .poll(async () => {
        const { body: minted } = await access.call('POST', `${path(body.data.id)}/rotate`, headers, {
          overlap_seconds: 60,
        })
        return minted.data?.scopes
      })
      .toEqual(['analytics'])
  })

  it('happens once under one Idempotency-Key, and the secret is answered again', async () => {
    const { headers } = await partner(['analytics'])
    const { body } = await mint(headers)
    const once = { ...headers, 'idempotency-key': randomUUID() }
    const rotate = () => access.call('POST', `${path(body.data.id)}/rotate`, once, { overlap_seconds: 60 })
    const [first, again] = [await rotate(), await rotate()]
    expect(again.body.data.key).toBe(first.body.data.key)
    expect((await access.call('GET', path(), headers)).body.data).toHaveLength(2)
  })
})
