import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkspace } from '../../../../postgres/stores/tenancy.ts'
import { createUser } from '../../../../postgres/stores/users.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'
import { type AccessApp, freshEmail, openAccessApp } from '../access-app.ts'

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

const password = 'an uncommon phrase of words'
async function person() {
  const email = freshEmail()
  const workspaceId = await createWorkspace(pool, 'Agency')
  const { userId } = (await createUser(pool, { email, password, workspaceId, role: 'admin' }))!
  return { email, userId, workspaceId }
}
const signIn = (email: string, secret = password, headers: Record<string, string> = {}) =>
  access.call('POST', '/session', headers, { email, password: secret })

async function signedIn() {
  const someone = await person()
  const { body, headers } = await signIn(someone.email)
  const cookie = String(headers['set-cookie'])
  return { ...someone, headers: { cookie: cookie.split(';')[0]!, 'x-csrf-token': body.data.csrf_token as string } }
}

describe('signing in', () => {
  it('sets a cookie that scripts cannot read and other sites cannot use, and gives the token against forgery', async () => {
    const { email, userId, workspaceId } = await person()
    const { status, body, headers } = await signIn(`  ${email.toUpperCase()} `)
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        user: { id: userId, email },
        csrf_token: expect.any(String),
        memberships: [{ workspace_id: workspaceId, workspace_name: 'Agency', role: 'admin' }],
      },
      meta: {},
    })
    expect(headers['set-cookie']).toMatch(
      /^__Host-touchline_session=[0-9A-Za-z]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    const secret = /=([0-9A-Za-z]+);/.exec(String(headers['set-cookie']))?.[1]
    const { rows } = await pool.query('SELECT row_to_json(s)::text AS text FROM sessions s WHERE user_id = $1', [
      userId,
    ])
    expect(rows).toHaveLength(1)
    expect(rows[0].text).not.toContain(secret)
    expect(access.log.text()).not.toContain(secret)
  })

  it('answers a wrong password and an unknown person alike', async () => {
    const { email } = await person()
    const wrong = await signIn(email, 'something else entirely')
    const unknown = await signIn(freshEmail(), 'something else entirely')
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    const plain = ({ body }: typeof wrong) => ({ ...body.error, request_id: '' })
    expect(plain(wrong)).toEqual(plain(unknown))
    expect(wrong.headers['set-cookie']).toBeUndefined()
  })

  it('is refused to the page of another site', async () => {
    const { email } = await person()
    const { status, body } = await signIn(email, password, { origin: 'https://evil.example' })
    expect(status).toBe(403)
    expect(body.error.reason).toBe('csrf')
  })

  it('is slowed down for an account, known or not, even when the password is right at last', async () => {
    for (const email of [(await person()).email, freshEmail()]) {
      for (let attempt = 0; attempt < 5; attempt++) expect((await signIn(email, 'wrong again')).status).toBe(401)
      const { status, body, headers } = await signIn(email)
      expect(status).toBe(429)
      expect(body.error.reason).toBe('sign_in_attempts')
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
  })

  it('is slowed down for an address, whomever it guesses at', async () => {
    const guess = () =>
      access.app.inject({
        method: 'POST',
        url: '/api/v1/session',
        remoteAddress: '203.0.113.9',
        payload: { email: freshEmail(), password },
      })
    const answers = await Promise.all(Array.from({ length: 32 }, guess))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(2)
  })

  it.each([
    ['no body', undefined, 400],
    ['no password', { email: 'a@b.example' }, 422],
    ['a password of a megabyte', { email: 'a@b.example', password: 'x'.repeat(900_000) }, 422],
    ['a list', [1], 400],
    ['a NUL', { email: 'a\0@b.example', password: 'x' }, 422],
    ['something else than text', { email: { $gt: '' }, password: { $gt: '' } }, 422],
  ])('refuses %s', async (_why, payload, status) => {
    expect((await access.call('POST', '/session', {}, payload as object)).status).toBe(status)
  })
})

describe('a session', () => {
  it('says who is signed in, and ends', async () => {
    const { headers, userId } = await signedIn()
    const { body } = await access.call('GET', '/session', headers)
    expect(body.data.user.id).toBe(userId)
    expect(body.data.csrf_token).toBe(headers['x-csrf-token'])
    const { 'x-csrf-token': _, ...bare } = headers
    expect((await access.call('DELETE', '/session', bare)).status).toBe(403)
    const out = await access.call('DELETE', '/session', headers)
    expect(out.status).toBe(200)
    expect(out.headers['set-cookie']).toContain('Max-Age=0')
    await expect.poll(async () => (await access.call('GET', '/session', headers)).status, { timeout: 3000 }).toBe(401)
  })
})

describe('changing the password', () => {
  const change = (headers: Record<string, string>, body: object) =>
    access.call('PUT', '/session/password', headers, body)

  it.each([
    ['current_password_required', 400, { new_password: 'another fine phrase' }],
    ['current_password_invalid', 400, { current_password: 'not mine', new_password: 'another fine phrase' }],
    ['weak_password', 422, { current_password: password, new_password: 'short7c' }],
    ['compromised_password', 422, { current_password: password, new_password: 'Password123' }],
    ['compromised_password', 422, { current_password: password, new_password: 'ILOVEYOU2' }],
    ['validation_error', 422, { current_password: password, new_password: 12345678 }],
  ])('answers %s', async (code, status, body) => {
    const { headers } = await signedIn()
    const answer = await change(headers, body)
    expect([answer.body.error?.code, answer.status]).toEqual([code, status])
  })

  it('ends every other session and every MCP token', async () => {
    const { email, headers } = await signedIn()
    const other = await signIn(email)
    const otherHeaders = { cookie: String(other.headers['set-cookie']).split(';')[0]! }
    const minted = await access.call('POST', '/session/mcp-tokens', headers, { name: 'Laptop' })
    const token = { authorization: `Bearer ${minted.body.data.token}` }
    expect((await access.call('GET', '/profiles', token)).status).toBe(200)
    const answer = await change(headers, { current_password: password, new_password: 'another fine phrase' })
    expect(answer.status).toBe(200)
    expect((await access.call('GET', '/session', headers)).status).toBe(200)
    await expect
      .poll(
        async () => [
          (await access.call('GET', '/session', otherHeaders)).status,
          (await access.call('GET', '/profiles', token)).status,
        ],
        { timeout: 3000 },
      )
      .toEqual([401, 401])
    expect((await signIn(email)).status).toBe(401)
    expect((await signIn(email, 'another fine phrase')).status).toBe(201)
  })
})

describe('MCP tokens', () => {
  it('are minted with mcp:read, listed without their text, and revoked', async () => {
    const { headers } = await signedIn()
    const minted = await access.call('POST', '/session/mcp-tokens', headers, { name: 'Laptop' })
    expect(minted.status).toBe(201)
    expect(minted.body.data).toMatchObject({
      name: 'Laptop',
      scopes: ['mcp:read'],
      token: expect.stringMatching(/^ey/),
    })
    const listed = await access.call('GET', '/session/mcp-tokens', headers)
    expect(listed.body.data).toHaveLength(1)
    expect(JSON.stringify(listed.body)).not.toContain(minted.body.data.token)
    const token = { authorization: `Bearer ${minted.body.data.token}` }
    expect((await access.call('GET', '/workspaces', token)).status).toBe(200)
    const path = `/session/mcp-tokens/${minted.body.data.id}`
    const stranger = await signedIn()
    expect((await access.call('DELETE', path, stranger.headers)).status).toBe(404)
    expect((await access.call('DELETE', path, headers)).status).toBe(200)
    expect((await access.call('DELETE', path, headers)).status).toBe(404)
    expect((await access.call('DELETE', '/session/mcp-tokens/nonsense', headers)).status).toBe(404)
    await expect.poll(async () => (await access.call('GET', '/workspaces', token)).status, { timeout: 3000 }).toBe(401)
  })

  it('of the default scope create neither workspaces nor profiles', async () => {
    const { headers, workspaceId } = await signedIn()
    const mint = async (body: object) => {
      const { body: minted } = await access.call('POST', '/session/mcp-tokens', headers, body)
      return { authorization: `Bearer ${minted.data.token}` }
    }
    const reader = await mint({ name: 'r' })
    for (const [path, scope] of [
      ['/workspaces', 'workspaces:write'],
      ['/profiles', 'profiles:write'],
    ] as const) {
      const { status, body } = await access.call('POST', path, reader, { name: 'x' })
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: [scope] })
    }
    const writer = await mint({ name: 'w', scopes: ['mcp:write'] })
    expect((await access.call('POST', '/workspaces', writer, { name: 'x' })).status).toBe(201)
    const created = await access.call('POST', '/profiles', writer, { name: 'x', workspace_id: workspaceId })
    expect(created.status).toBe(201)
  })

  it('refuse a scope that does not exist, and a twenty-first token', async () => {
    const { headers, userId } = await signedIn()
    const unknown = await access.call('POST', '/session/mcp-tokens', headers, { name: 'x', scopes: ['root'] })
    expect(unknown.body.error.code).toBe('validation_error')
    await pool.query(
      `INSERT INTO mcp_tokens (user_id, name, scopes, expires_at)
       SELECT $1, 'x', '{}', now() + interval '1 day' FROM generate_series(1, 20)`,
      [userId],
    )
    expect((await access.call('POST', '/session/mcp-tokens', headers, { name: 'x' })).body.error.code).toBe(
      'invalid_state',
    )
  })

  it('are at most twenty also where many are minted at once', async () => {
    const { headers } = await signedIn()
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => access.call('POST', '/session/mcp-tokens', headers, { name: 'x' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(answers.filter(({ body }) => body.error?.code === 'invalid_state')).toHaveLength(20)
  })
})

it('keeps a session from every profile of another workspace', async () => {
  const { headers } = await signedIn()
  const foreign = await createProfile(pool)
  expect((await access.call('GET', `/profiles/${foreign}`, headers)).status).toBe(404)
})
