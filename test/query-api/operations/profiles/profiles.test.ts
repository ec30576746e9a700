import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scope, scopes, withoutPersons } from '../../../../domain/scopes.ts'
import { createApiKey } from '../../../../postgres/stores/api-keys.ts'
import { createWorkspace } from '../../../../postgres/stores/tenancy.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'
import { type AccessApp, openAccessApp } from '../access-app.ts'

let pool: pg.Pool
let access: AccessApp
beforeAll(async () => {
  pool = await openPostgres()
  access = await openAccessApp(pool)
})
afterAll(async () => {
  await access.app.close()
  await pool.end()
})

const create = (headers: Record<string, string>, body: object = { name: 'Shop' }) =>
  access.call('POST', '/profiles', headers, body)

async function owner(role: 'owner' | 'admin' | 'member' = 'owner') {
  const workspaceId = await createWorkspace(pool, 'Agency')
  const userId = await access.make.user(role, workspaceId)
  return { workspaceId, userId, headers: await access.make.sessionOf(userId) }
}
async function partner(allowed?: Scope[]) {
  const { appId } = await access.make.app(allowed)
  return { appId, headers: await access.make.appToken(appId) }
}
const entitle = (headers: Record<string, string>, profileId: string, body: object) =>
  access.call('PUT', `/profiles/${profileId}/entitlements/atribu_attribution`, headers, body)
const scopesOfGrant = async (profileId: string): Promise<string[]> => {
  const { rows } = await pool.query('SELECT scopes FROM grants WHERE profile_id = $1', [profileId])
  return rows[0]?.scopes.toSorted()
}

describe('a new profile', () => {
  it('of a person goes to their workspace and has its definitions', async () => {
    const { headers, workspaceId } = await owner()
    const body = {
      name: 'Shop',
      reporting_currency: 'CLP',
      timezone: 'America/Santiago',
      privacy_mode: 'platform_safe',
    }
    const { status, body: answer } = await create(headers, body)
    expect(status).toBe(201)
    expect(answer).toEqual({
      data: {
        id: expect.any(String),
        workspace_id: workspaceId,
        ...body,
        is_healthcare: true,
        provisioned_by: null,
        entitlements: { atribu_attribution: { enabled: true } },
        status: 'active',
        created_at: expect.any(String),
      },
      meta: { profile_id: null },
    })
    const { rows } = await pool.query('SELECT conversion_key FROM conversion_definitions WHERE profile_id = $1', [
      answer.data.id,
    ])
    expect(rows).toHaveLength(6)
  })

  it('is created once under one Idempotency-Key', async () => {
    const { headers } = await owner()
    const once = { ...headers, 'idempotency-key': randomUUID() }
    const [first, second] = [await create(once), await create(once)]
    expect(second.body).toEqual(first.body)
    expect((await access.call('GET', '/profiles', headers)).body.data).toHaveLength(1)
  })

  it('is the business of owners and admins, in their own workspaces', async () => {
    expect((await create((await owner('member')).headers)).body.error.code).toBe('forbidden')
    const { headers } = await owner('admin')
    const foreign = await createWorkspace(pool, 'Foreign')
    for (const workspace_id of [foreign, randomUUID(), 'nonsense']) {
      const { status, body } = await create(headers, { name: 'x', workspace_id })
      expect(status).toBe(404)
      expect(body.error.message).toBe('There is no such workspace.')
    }
    const lonely = await access.make.sessionOf(await access.make.user())
    expect((await create(lonely)).status).toBe(422)
  })

  it('of an API key goes to the workspace of its profile', async () => {
    const profileId = await createProfile(pool)
    const { body } = await create(await access.make.apiKey(profileId, ['profiles:write']))
    const { rows } = await pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profileId])
    expect(body.data.workspace_id).toBe(rows[0].workspace_id)
    expect(body.meta.profile_id).toBe(profileId)
    expect((await create(await access.make.apiKey(profileId, ['attribution:write']))).status).toBe(403)
  })

  it('counts against the plan, also when many come at once', async () => {
    const { headers, workspaceId } = await owner()
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(headers)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = answers.find(({ status }) => status !== 201)!
    expect(refused.status).toBe(403)
    expect(refused.body.error).toMatchObject({
      code: 'profile_limit_reached',
      upgrade_required: true,
      upgrade: { plan: 'growth' },
    })
    await pool.query("UPDATE workspaces SET plan = 'growth' WHERE id = $1", [workspaceId])
    expect((await create(headers)).status).toBe(201)
  })

  it.each([
    ['no name', {}],
    ['an unknown currency', { name: 'x', reporting_currency: 'ZZZ' }],
    ['an unknown time zone', { name: 'x', timezone: 'Mars/Base' }],
    ['an unknown mode', { name: 'x', privacy_mode: 'open' }],
    ['a NUL in its name', { name: 'a\0b' }],
  ])('is refused with %s', async (_why, body) => {
    const { headers } = await owner()
    expect((await create(headers, body)).body.error.code).toBe('validation_error')
    expect((await access.call('GET', '/profiles', headers)).body.data).toEqual([])
  })
})

describe('a profile that an app provisions', () => {
  it('comes with a workspace, the grant, and closed writes until the app enables it', async () => {
    const { headers, appId } = await partner(['analytics_pii', 'attribution:write', 'profiles:write'])
    const { body } = await create(headers)
    const { id } = body.data
    expect(body.data).toMatchObject({ provisioned_by: appId, entitlements: { atribu_attribution: { enabled: false } } })
    expect(await scopesOfGrant(id)).toEqual(['analytics_pii', 'attribution:write'])
    const minted = await access.call('POST', `/profiles/${id}/keys`, headers, {})
    const key = { authorization: `Bearer ${minted.body.data.key}` }
    const write = () => access.call('POST', '/tracking/keys', key)
    expect((await write()).body.error).toMatchObject({ code: 'entitlement_required', status: 409 })
    expect((await access.call('GET', '/tracking/keys', key)).status).toBe(200)
    const enabled = await entitle(headers, id, { enabled: true })
    expect(enabled.body).toMatchObject({
      data: { entitlements: { atribu_attribution: { enabled: true } } },
      meta: { profile_id: id },
    })
    await expect.poll(async () => (await write()).status, { timeout: 2000 }).toBe(201)
    await entitle(headers, id, { enabled: false })
    await expect.poll(async () => (await write()).status, { timeout: 2000 }).toBe(409)
  })

  it('goes to a workspace that the app made, and to no other', async () => {
    const { headers } = await partner()
    const made = await access.call('POST', '/workspaces', headers, { name: 'Clinic group', is_healthcare_agency: true })
    expect(made.body.data).toMatchObject({ is_healthcare_agency: true })
    const { body } = await create(headers, { name: 'Clinic', workspace_id: made.body.data.id })
    expect(body.data).toMatchObject({ workspace_id: made.body.data.id, is_healthcare: true, privacy_mode: 'standard' })
    expect(await scopesOfGrant(body.data.id)).not.toContain('customers:read')
    const other = await partner()
    expect((await create(other.headers, { name: 'x', workspace_id: made.body.data.id })).status).toBe(404)
  })

  it('is enabled by that app alone', async () => {
    const { headers } = await partner()
    const { id } = (await create(headers)).body.data
    const stranger = await access.make.appOn(id)
    expect((await entitle(stranger, id, { enabled: true })).body.error.code).toBe('forbidden')
    expect((await entitle(await access.make.session(id), id, { enabled: true })).body.error.code).toBe('forbidden')
    const own = await createProfile(pool)
    expect((await entitle(await access.make.appOn(own), own, { enabled: true })).body.error.code).toBe('forbidden')
    expect((await entitle((await partner()).headers, id, { enabled: true })).status).toBe(404)
    expect((await entitle(headers, id, { enabled: 'yes' })).status).toBe(422)
  })

  it('has its privacy mode before the grant widens', async () => {
    const { headers } = await partner(['analytics_pii', 'attribution:write', 'profiles:write'])
    const { id } = (await create(headers)).body.data
    const minted = await access.call('POST', `/profiles/${id}/keys`, headers, {})
    const key = { authorization: `Bearer ${minted.body.data.key}` }
    expect((await access.call('GET', '/profiles', key)).status).toBe(200)
    const enabled = await entitle(headers, id, { enabled: true, privacy_mode: 'hipaa' })
    expect(enabled.body.data).toMatchObject({ privacy_mode: 'hipaa', is_healthcare: true })
    expect(await scopesOfGrant(id)).toEqual(['analytics', 'attribution:write'])
    await expect.poll(async () => (await access.call('GET', '/profiles', key)).status, { timeout: 2000 }).toBe(401)
    const replaced = await access.call('POST', `/profiles/${id}/keys`, headers, {})
    expect(replaced.body.data.scopes.toSorted()).toEqual(['analytics', 'attribution:write'])
    const asked = await access.call('POST', `/profiles/${id}/keys`, headers, { scopes: ['customers:read'] })
    expect(asked.body.error.code).toBe('healthcare_scope_forbidden')
  })
})

describe('becoming a healthcare profile', () => {
  it('takes from grants what the rule takes from scopes, whatever statement makes the change', async () => {
    const { appId } = await access.make.app()
    const profileId = await createProfile(pool)
    await pool.query('INSERT INTO grants (profile_id, app_id, scopes) VALUES ($1, $2, $3)', [profileId, appId, scopes])
    await pool.query("UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1", [profileId])
    expect(await scopesOfGrant(profileId)).toEqual(withoutPersons(scopes).toSorted())
  })

  it('ends delegated keys with persons in the whole workspace, and leaves the others', async () => {
    const { headers, workspaceId } = await owner()
    const { appId } = await access.make.app()
    const keys: Record<string, string> = {}
    for (const name of ['first', 'second']) {
      const { id } = (await create(headers, { name })).body.data
      const key = async (held: Scope[], app?: string) =>
        (await createApiKey(pool, { profileId: id, scopes: held, appId: app })).keyId
      keys[`${name} persons`] = await key(['customers:read', 'analytics'], appId)
      keys[`${name} visitors`] = await key(['visitors:read'], appId)
      keys[`${name} bundle`] = await key(['analytics_pii'], appId)
      keys[`${name} analytics`] = await key(['analytics'], appId)
      keys[`${name} direct`] = await key(['customers:read'])
      await pool.query(
        "INSERT INTO grants (profile_id, app_id, scopes) VALUES ($1, $2, '{analytics_pii,goals:write}')",
        [id, appId],
      )
    }
    const marked = await access.call('PATCH', `/workspaces/${workspaceId}`, headers, { is_healthcare_agency: true })
    expect(marked.body.data.is_healthcare_agency).toBe(true)
    const { rows } = await pool.query('SELECT id FROM api_keys WHERE id = ANY($1) AND revoked_at IS NULL', [
      Object.values(keys),
    ])
    const live = new Set(rows.map(({ id }) => id))
    const alive = Object.entries(keys).filter(([, id]) => live.has(id))
    expect(alive.map(([name]) => name)).toEqual([
      'first analytics',
      'first direct',
      'second analytics',
      'second direct',
    ])
    const grants = await pool.query(
      'SELECT DISTINCT g.scopes FROM grants g JOIN profiles p ON p.id = g.profile_id WHERE p.workspace_id = $1',
      [workspaceId],
    )
    expect(grants.rows).toEqual([{ scopes: ['analytics', 'goals:write'] }])
  })

  it('by its own mode concerns that profile alone', async () => {
    const { headers } = await owner()
    const { appId } = await access.make.app()
    const [clinic, shop] = [(await create(headers)).body.data.id, (await create(headers)).body.data.id]
    const live = async (id: string) => {
      const { rows } = await pool.query('SELECT revoked_at IS NULL AS live FROM api_keys WHERE profile_id = $1', [id])
      return rows.map((row) => row.live)
    }
    for (const profileId of [clinic, shop]) await createApiKey(pool, { profileId, scopes: ['customers:read'], appId })
    const { body } = await access.call('PATCH', `/profiles/${clinic}`, headers, { privacy_mode: 'platform_safe' })
    expect(body.data).toMatchObject({ privacy_mode: 'platform_safe', is_healthcare: true })
    expect([await live(clinic), await live(shop)]).toEqual([[false], [true]])
  })

  it('cannot be overtaken by a key that is being minted', async () => {
    const { appId, headers } = await partner(['analytics_pii', 'profiles:write'])
    const { id } = (await create(headers)).body.data
    const change = pool.query("UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1", [id])
    await Promise.all([
      change,
      ...Array.from({ length: 10 }, () => access.call('POST', `/profiles/${id}/keys`, headers, {})),
    ])
    const { rows } = await pool.query(
      "SELECT FROM api_keys WHERE app_id = $1 AND revoked_at IS NULL AND scopes && '{customers:read,visitors:read,analytics_pii}'",
      [appId],
    )
    expect(rows).toHaveLength(0)
  })
})

describe('a profile', () => {
  it('is changed by those who govern it, and what figures depend on gets a new version', async () => {
    const { headers } = await owner()
    const { id } = (await create(headers)).body.data
    const told = async () => {
      const { rows } = await pool.query('SELECT settings_version::int AS version FROM profiles WHERE id = $1', [id])
      return rows[0].version
    }
    const before = await told()
    const renamed = await access.call('PATCH', `/profiles/${id}`, headers, { name: 'Renamed' })
    expect(renamed.body.data).toMatchObject({ name: 'Renamed', reporting_currency: 'USD' })
    expect(await told()).toBe(before)
    const moved = await access.call('PATCH', `/profiles/${id}`, headers, { timezone: 'America/Lima' })
    expect(moved.body.data).toMatchObject({ name: 'Renamed', timezone: 'America/Lima' })
    expect(await told()).toBe(before + 1)
    expect((await access.call('PATCH', `/profiles/${id}`, headers, { color: 'red' })).status).toBe(422)
    const member = await access.make.session(id, 'member')
    expect((await access.call('PATCH', `/profiles/${id}`, member, { name: 'x' })).status).toBe(403)
    const granted = await access.make.appOn(id)
    expect((await access.call('PATCH', `/profiles/${id}`, granted, { name: 'x' })).body.error.code).toBe('forbidden')
    expect((await access.call('GET', `/profiles/${id}`, granted)).body.data.name).toBe('Renamed')
  })

  it('is archived, restored, and deleted for good with all that belongs to it', async () => {
    const { headers, workspaceId } = await owner()
    const { id } = (await create(headers)).body.data
    const key = await access.make.apiKey(id)
    const act = (path: string, method: 'POST' | 'DELETE' = 'POST') =>
      access.call(method, `/profiles/${id}${path}`, headers)
    expect((await act('', 'DELETE')).body.error.code).toBe('invalid_state')
    expect((await act('/restore')).body.error.code).toBe('invalid_state')
    expect((await act('/archive')).body.data.status).toBe('archived')
    await expect.poll(async () => (await access.call('GET', '/profiles', key)).status, { timeout: 2000 }).toBe(401)
    expect((await act('/restore')).body.data.status).toBe('active')
    await expect.poll(async () => (await access.call('GET', '/profiles', key)).status, { timeout: 2000 }).toBe(200)
    await expect.poll(async () => (await act('/archive')).status, { timeout: 2000 }).toBe(200)
    const admin = await access.make.sessionOf(await access.make.user('admin', workspaceId))
    expect((await access.call('DELETE', `/profiles/${id}`, admin)).body.error.code).toBe('forbidden')
    const stranger = (await owner()).headers
    expect((await access.call('DELETE', `/profiles/${id}`, stranger)).status).toBe(404)
    expect((await act('', 'DELETE')).body.data).toEqual({ id, deleted: true })
    expect((await act('', 'DELETE')).status).toBe(404)
    const left = await pool.query(
      `SELECT (SELECT count(*) FROM api_keys WHERE profile_id = $1) + (SELECT count(*) FROM conversion_definitions
         WHERE profile_id = $1) AS rows, (SELECT name FROM profiles WHERE id = $1) AS name`,
      [id],
    )
    expect(left.rows).toEqual([{ rows: '0', name: '' }])
    expect((await access.call('GET', '/profiles', headers)).body.data).toEqual([])
  })

  it('is listed page by page for whoever reaches it', async () => {
    const { headers, workspaceId } = await owner()
    await pool.query("UPDATE workspaces SET plan = 'unlimited' WHERE id = $1", [workspaceId])
    for (let n = 0; n < 5; n++) await create(headers, { name: `P${n}` })
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await access.call('GET', `/profiles?limit=2${cursor}`, headers)
      seen.push(...body.data.map(({ name }: { name: string }) => name))
      if (!body.pagination.has_next) break
      cursor = `&cursor=${body.pagination.cursor}`
    }
    expect(seen.toSorted()).toEqual(['P0', 'P1', 'P2', 'P3', 'P4'])
    expect((await access.call('GET', '/profiles?limit=0', headers)).body.error.code).toBe('invalid_parameter')
    expect((await access.call('GET', '/profiles?cursor=nonsense', headers)).body.error.code).toBe('invalid_parameter')
  })
})
