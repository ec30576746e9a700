import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPasswordOf } from '../../domain/passwords.ts'
import { apiKeyAuthentication } from '../../http/authenticate.ts'
import { openPostgres } from '../profiles.ts'

const entry = join(import.meta.dirname, '../../cli/main.ts')
let pool: pg.Pool
beforeAll(async () => {
  pool = await openPostgres()
})
afterAll(() => pool.end())

function touchline(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    // Vitest sets a BASE_URL of its own.
    const options = { env: { ...process.env, BASE_URL: '' } }
    execFile(process.execPath, [entry, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const json = async (...args: string[]) => JSON.parse((await touchline(...args, '--json')).out)

describe('the command line', () => {
  it('creates a profile and a key that the API knows', async () => {
    const profile = await json(
      'profiles',
      'create',
      '--name',
      'Shop',
      '--currency',
      'clp',
      '--timezone',
      'America/Lima',
    )
    expect(Object.keys(profile)).toEqual(['profile_id', 'workspace_id'])
    const asked = ['--profile', profile.profile_id, '--scopes', 'campaigns:read,customers:read', '--rate-limit', '50']
    const created = await json('keys', 'create', ...asked)
    expect(Object.keys(created)).toEqual(['key_id', 'key'])
    const headers = { authorization: `Bearer ${created.key}` }
    const caller = await apiKeyAuthentication(pool)({ method: 'GET', headers })
    expect(caller.credential).toMatchObject({
      id: created.key_id,
      rateLimitPerMinute: 50,
      scopes: new Set(['customers:read', 'campaigns:read']),
    })
    expect(await caller.inProfile(profile.profile_id)).toMatchObject({
      profile: { id: profile.profile_id, reportingCurrency: 'CLP', timezone: 'America/Lima' },
    })
    const revoked = await touchline('keys', 'revoke', created.key_id, '--profile', profile.profile_id)
    expect(revoked.out).toContain('is revoked')
  })

  it('creates an app, a user, and a key that an app holds until a day', async () => {
    const app = await json(
      'apps',
      'create',
      '--name',
      'Partner',
      '--tier',
      'internal',
      '--redirect-uris',
      'https://a.example/back',
    )
    expect(Object.keys(app)).toEqual(['app_id', 'client_id', 'client_secret'])
    const { profile_id, workspace_id } = await json('profiles', 'create', '--name', 'Clinic', '--privacy-mode', 'hipaa')
    const key = ['keys', 'create', '--profile', profile_id, '--app', app.app_id, '--expires', '2999-12-31']
    await json(...key, '--scopes', 'conversions:read')
    expect((await touchline(...key, '--scopes', 'customers:read')).err).toContain('healthcare')
    const email = `${profile_id}@example.com`
    const user = await json('users', 'create', '--email', email, '--workspace', workspace_id)
    expect(user).toMatchObject({
      user_id: expect.any(String),
      workspace_id,
      role: 'owner',
      password: expect.any(String),
    })
    expect((await touchline('users', 'create', '--email', email)).err).toContain('exists already')
    const reset = await json('users', 'reset-password', '--email', email)
    expect(reset).toEqual({ user_id: user.user_id, password: expect.any(String) })
    const { rows } = await pool.query('SELECT password_hash FROM users WHERE id = $1', [user.user_id])
    expect(await isPasswordOf(reset.password, rows[0].password_hash)).toBe(true)
    expect((await touchline('users', 'reset-password', '--email', 'x@y.example')).err).toContain('nobody')
  })

  it('grants an app a profile and takes it back, and marks a workspace', async () => {
    const workspace = await json('workspaces', 'create', '--name', `Group ${Date.now()}`, '--plan', 'growth')
    expect(workspace).toMatchObject({ plan: 'growth', is_healthcare_agency: false })
    const { profile_id } = await json('profiles', 'create', '--name', 'Shop', '--workspace', workspace.workspace_id)
    const { app_id, client_id } = await json('apps', 'create', '--name', 'Partner', '--scopes', 'analytics_pii')
    const grant = ['apps', 'grant', client_id, '--profile', profile_id, '--scopes']
    expect(await json(...grant, 'customers:read,analytics')).toMatchObject({
      app_id,
      scopes: 'customers:read,analytics',
    })
    expect((await touchline(...grant, 'goals:write')).err).toContain('may not ask for goals:write')
    const marked = await json('workspaces', 'change', workspace.workspace_id, '--healthcare-agency')
    expect(marked.is_healthcare_agency).toBe(true)
    const { rows } = await pool.query('SELECT scopes FROM grants WHERE profile_id = $1', [profile_id])
    expect(rows).toEqual([{ scopes: ['analytics'] }])
    expect((await touchline(...grant, 'customers:read')).err).toContain('healthcare')
    expect((await touchline('apps', 'ungrant', app_id, '--profile', profile_id)).out).toContain('revoked')
    const rotated = await json('apps', 'rotate-secret', app_id)
    expect(rotated.client_secret).toMatch(/^tl_secret_/)
    expect((await touchline('apps', 'revoke', app_id)).out).toContain('shut out')
  })

  it('says how many summaries a workspace may have written in a day', async () => {
    const { workspace_id, daily_ai_allowance } = await json('workspaces', 'create', '--name', `Group ${Date.now()}`)
    expect(daily_ai_allowance).toBe(100)
    const changed = await json('workspaces', 'change', workspace_id, '--daily-ai-allowance', '0')
    expect(changed).toMatchObject({ plan: 'starter', daily_ai_allowance: 0 })
    expect((await json('workspaces', 'change', workspace_id, '--plan', 'growth')).daily_ai_allowance).toBe(0)
  })

  it('prints lines for people without --json', async () => {
    const { out } = await touchline('profiles', 'create', '--name', 'Shop')
    expect(out).toMatch(/^profile_id +[0-9a-f-]{36}\nworkspace_id +[0-9a-f-]{36}\n$/)
  })

  const unknown = '7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57'
  it.each<[string, string[], RegExp]>([
    [
      'an unknown profile',
      ['keys', 'create', '--profile', unknown, '--scopes', 'campaigns:read'],
      /no profile 7b7ef0a6/,
    ],
    ['an unknown scope', ['keys', 'create', '--profile', unknown, '--scopes', 'a:b'], /no scope a:b.*campaigns:read/],
    [
      'an impossible day',
      ['keys', 'create', '--profile', unknown, '--scopes', 'mcp:read', '--expires', '2027-02-30'],
      /2027-01-31/,
    ],
    ['no limit', ['keys', 'create', '--profile', unknown, '--scopes', 'mcp:read', '--rate-limit', '0'], /whole number/],
    ['an unknown currency', ['profiles', 'create', '--name', 'x', '--currency', 'ZZZ'], /ISO 4217/],
    ['an unknown time zone', ['profiles', 'create', '--name', 'x', '--timezone', 'Mars/Base'], /IANA/],
    ['an unknown workspace', ['profiles', 'create', '--name', 'x', '--workspace', unknown], /no workspace/],
    [
      'an unknown plan',
      ['workspaces', 'create', '--name', 'x', '--plan', 'royal'],
      /starter, growth, agency, unlimited/,
    ],
    [
      'an allowance that is no count',
      ['workspaces', 'create', '--name', 'x', '--daily-ai-allowance', '-1'],
      /whole number/,
    ],
    [
      'a password that everybody has',
      ['users', 'create', '--email', 'a@b.example', '--password', 'password123'],
      /attackers/,
    ],
    ['an unknown mode', ['profiles', 'create', '--name', 'x', '--privacy-mode', 'open'], /platform_safe/],
    ['an address that is none', ['apps', 'create', '--name', 'x', '--redirect-uris', 'javascript:alert(1)'], /http/],
  ])('refuses %s with a sentence', async (_why, args, sentence) => {
    const { code, out, err } = await touchline(...args)
    expect(code).not.toBe(0)
    expect(out).toBe('')
    expect(err).toMatch(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})
