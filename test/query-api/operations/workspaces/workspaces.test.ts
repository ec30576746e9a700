import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres } from '../../../profiles.ts'
import { type AccessApp, freshEmail, openAccessApp } from '../access-app.ts'

let pool: pg.Pool
let access: AccessApp
let ownerId: string
let owner: Record<string, string>
let workspaceId: string
beforeAll(async () => {
  pool = await openPostgres()
  access = await openAccessApp(pool)
})
beforeEach(async () => {
  ownerId = await access.make.user()
  owner = await access.make.sessionOf(ownerId)
  workspaceId = (await access.call('POST', '/workspaces', owner, { name: 'Agency' })).body.data.id
})
afterAll(async () => {
  await access.app.close()
  await pool.end()
})

async function joined(role: 'owner' | 'admin' | 'member') {
  const userId = await access.make.user(role, workspaceId)
  return { userId, headers: await access.make.sessionOf(userId) }
}
const at = (path = '') => `/workspaces/${workspaceId}${path}`

describe('a workspace', () => {
  it('belongs to who created it', async () => {
    const { body } = await access.call('GET', at(), owner)
    expect(body).toEqual({
      data: {
        id: workspaceId,
        name: 'Agency',
        plan: 'starter',
        active_profiles: 0,
        active_profiles_limit: 3,
        is_healthcare_agency: false,
        provisioned_by: null,
        created_at: expect.any(String),
      },
      meta: { profile_id: null },
    })
    const members = await access.call('GET', at('/members'), owner)
    expect(members.body.data).toMatchObject([{ user_id: ownerId, role: 'owner' }])
    expect((await access.call('GET', '/workspaces', owner)).body.data).toMatchObject([{ id: workspaceId }])
    const stranger = await access.make.sessionOf(await access.make.user())
    for (const path of [at(), at('/members'), at('/invitations')]) {
      expect((await access.call('GET', path, stranger)).status, path).toBe(404)
    }
    expect((await access.call('GET', '/workspaces', stranger)).body.data).toEqual([])
  })

  it('is changed by owners and admins, and archived by owners', async () => {
    const [admin, member] = [await joined('admin'), await joined('member')]
    expect((await access.call('PATCH', at(), admin.headers, { name: 'New' })).body.data.name).toBe('New')
    expect((await access.call('PATCH', at(), member.headers, { name: 'x' })).status).toBe(403)
    expect((await access.call('PATCH', at(), owner, { plan: 'unlimited' })).status).toBe(422)
    expect((await access.call('POST', at('/archive'), admin.headers)).body.error.code).toBe('forbidden')
    expect((await access.call('POST', at('/archive'), owner)).body.data).toEqual({ id: workspaceId, archived: true })
    expect((await access.call('GET', at(), owner)).status).toBe(404)
  })

  it('of an app is the app’s, and of no other', async () => {
    const { appId } = await access.make.app()
    const headers = await access.make.appToken(appId)
    const made = await access.call('POST', '/workspaces', headers, { name: 'Provisioned' })
    expect(made.body.data.provisioned_by).toBe(appId)
    const { id } = made.body.data
    expect((await access.call('GET', `/workspaces/${id}`, headers)).status).toBe(200)
    expect((await access.call('GET', '/workspaces', headers)).body.data).toHaveLength(1)
    const other = await access.make.appToken((await access.make.app()).appId)
    expect((await access.call('GET', `/workspaces/${id}`, other)).status).toBe(404)
    expect((await access.call('GET', at(), headers)).status).toBe(404)
  })
})

describe('people', () => {
  it('are governed by owners, and below them by admins', async () => {
    const [admin, member] = [await joined('admin'), await joined('member')]
    const set = (headers: Record<string, string>, userId: string, role: string) =>
      access.call('PATCH', at(`/members/${userId}`), headers, { role })
    expect((await set(admin.headers, member.userId, 'admin')).body.data.role).toBe('admin')
    expect((await set(admin.headers, member.userId, 'owner')).body.error.code).toBe('forbidden')
    expect((await set(admin.headers, ownerId, 'member')).body.error.code).toBe('forbidden')
    expect((await set(owner, member.userId, 'member')).status).toBe(200)
    expect((await set(member.headers, admin.userId, 'member')).status).toBe(403)
    expect((await set(owner, admin.userId, 'king')).status).toBe(422)
    for (const id of [randomUUID(), 'nonsense']) expect((await set(owner, id, 'member')).status).toBe(404)
  })

  it('always have an owner, even when two unmake each other at once', async () => {
    const alone = await access.call('PATCH', at(`/members/${ownerId}`), owner, { role: 'member' })
    expect(alone.body.error).toMatchObject({ code: 'invalid_state', reason: 'last_owner' })
    expect((await access.call('DELETE', at(`/members/${ownerId}`), owner)).body.error.code).toBe('invalid_state')
    const second = await joined('owner')
    const both = await Promise.all([
      access.call('DELETE', at(`/members/${second.userId}`), owner),
      access.call('DELETE', at(`/members/${ownerId}`), second.headers),
    ])
    const { rows } = await pool.query("SELECT FROM memberships WHERE workspace_id = $1 AND role = 'owner'", [
      workspaceId,
    ])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(rows).toHaveLength(1)
  })

  it('may leave', async () => {
    const member = await joined('member')
    expect((await access.call('DELETE', at(`/members/${ownerId}`), member.headers)).status).toBe(403)
    expect((await access.call('DELETE', at(`/members/${member.userId}`), member.headers)).status).toBe(200)
    expect((await access.call('GET', at(), member.headers)).status).toBe(404)
  })
})

describe('an invitation', () => {
  const password = 'an uncommon phrase of words'
  const invite = (headers = owner, body: object = { email: freshEmail() }) =>
    access.call('POST', at('/invitations'), headers, body)
  const accept = (token: string, secret = password) =>
    access.call('POST', '/invitations/accept', {}, { token, password: secret })

  it('makes an account and a member, once', async () => {
    const email = freshEmail()
    const issued = await invite(owner, { email: email.toUpperCase(), role: 'admin' })
    expect(issued.status).toBe(201)
    expect(issued.body.data).toMatchObject({ email, role: 'admin', status: 'open', token: expect.any(String) })
    const { token } = issued.body.data
    const listed = await access.call('GET', at('/invitations'), owner)
    expect(listed.body.data).toMatchObject([{ email, status: 'open' }])
    expect(JSON.stringify(listed.body)).not.toContain(token)
    expect((await accept(token, 'short')).body.error.code).toBe('weak_password')
    expect((await accept(token, 'password123')).body.error.code).toBe('compromised_password')
    expect((await accept(token)).body).toMatchObject({ data: { status: 'accepted' }, meta: {} })
    expect((await accept(token)).body.error).toMatchObject({ code: 'invalid_state', reason: 'accepted' })
    const session = await access.call('POST', '/session', {}, { email, password })
    expect(session.body.data.memberships).toMatchObject([{ workspace_id: workspaceId, role: 'admin' }])
    expect((await invite(owner, { email })).body.error.code).toBe('invalid_state')
  })

  it('of somebody with an account takes their present password', async () => {
    const email = freshEmail()
    await accept((await invite(owner, { email })).body.data.token)
    const other = await access.call('POST', '/workspaces', owner, { name: 'Second' })
    const second = await access.call('POST', `/workspaces/${other.body.data.id}/invitations`, owner, { email })
    expect((await accept(second.body.data.token, 'not their password')).body.error.code).toBe(
      'current_password_invalid',
    )
    expect((await accept(second.body.data.token)).status).toBe(200)
  })

  it('is one at a time, and can be taken back once', async () => {
    const email = freshEmail()
    const { id, token } = (await invite(owner, { email })).body.data
    expect((await invite(owner, { email })).body.error.code).toBe('invalid_state')
    const revoke = () => access.call('DELETE', at(`/invitations/${id}`), owner)
    expect((await revoke()).body.data.status).toBe('revoked')
    expect((await revoke()).body.error).toMatchObject({ code: 'invalid_state', reason: 'revoked' })
    expect((await accept(token)).body.error.code).toBe('invalid_state')
    expect((await invite(owner, { email })).status).toBe(201)
    expect((await access.call('DELETE', at('/invitations/nonsense'), owner)).status).toBe(404)
  })

  it('runs out, and dies with the workspace', async () => {
    const late = (await invite()).body.data
    await pool.query("UPDATE invitations SET expires_at = now() - interval '1 s' WHERE id = $1", [late.id])
    expect((await accept(late.token)).body.error).toMatchObject({ code: 'invalid_state', reason: 'expired' })
    expect((await invite(owner, { email: late.email })).status).toBe(201)
    const { token } = (await invite()).body.data
    await access.call('POST', at('/archive'), owner)
    expect(await accept(token)).toMatchObject({ status: 410, body: { error: { code: 'workspace_archived' } } })
    expect((await accept('x'.repeat(43))).status).toBe(404)
  })

  it('is issued by those who govern, and never where an app would have to be asked', async () => {
    expect((await invite((await joined('member')).headers)).status).toBe(403)
    const admin = (await joined('admin')).headers
    expect((await invite(admin, { email: freshEmail(), role: 'owner' })).status).toBe(403)
    expect((await invite(admin)).status).toBe(201)
    expect((await invite(owner, { email: 'nobody' })).status).toBe(422)
    const { appId } = await access.make.app()
    await pool.query('UPDATE workspaces SET provisioning_app_id = $2 WHERE id = $1', [workspaceId, appId])
    expect((await invite()).body.error).toMatchObject({ code: 'app_provisioned_workspace', status: 403 })
  })
})
