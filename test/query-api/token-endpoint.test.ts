import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../domain/scopes.ts'
import { createApp } from '../../postgres/stores/apps.ts'
import { grantApp } from '../../postgres/stores/grants.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { type AccessApp, openAccessApp } from './operations/access-app.ts'

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

const newApp = (scopes: Scope[] = ['analytics', 'customers:read'], tier: 'standard' | 'elevated' = 'standard') =>
  createApp(pool, { name: 'Partner', tier, redirectUris: [], returnOrigins: [], scopes })

async function ask(form: Record<string, string> | string, headers: Record<string, string> = {}) {
  const answer = await access.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})
const grant_type = 'client_credentials'

describe('POST /oauth/token', () => {
  it('gives a token for credentials in the header or in the body, not to be stored', async () => {
    const { clientId, clientSecret, appId } = await newApp()
    const profileId = await createProfile(pool)
    await grantApp(pool, { appId, profileId, scopes: ['analytics'] })
    const answers = [
      await ask({ grant_type }, basic(clientId, clientSecret)),
      await ask({ grant_type, client_id: clientId, client_secret: clientSecret }),
    ]
    for (const { status, body, headers } of answers) {
      expect(status).toBe(200)
      expect(body).toEqual({
        access_token: expect.stringMatching(/^ey/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'analytics customers:read',
      })
      expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
      const token = { authorization: `Bearer ${body.access_token}` }
      const read = await access.call('GET', `/profiles/${profileId}`, token)
      expect(read.status).toBe(200)
      expect(read.body.meta.profile_id).toBe(profileId)
    }
  })

  it('gives the scopes that are asked for, parts of a bundle too', async () => {
    const { clientId, clientSecret } = await newApp()
    const { body } = await ask({ grant_type, scope: 'campaigns:read  conversions:read' }, basic(clientId, clientSecret))
    expect(body.scope).toBe('campaigns:read conversions:read')
  })

  it.each<[string, Record<string, string> | string, number, string]>([
    ['no grant_type', {}, 400, 'invalid_request'],
    ['another grant_type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [
      'a parameter that comes twice',
      'grant_type=client_credentials&grant_type=client_credentials',
      400,
      'invalid_request',
    ],
    ['a scope that does not exist', { grant_type, scope: 'everything' }, 400, 'invalid_scope'],
    ['a scope that the app may not ask for', { grant_type, scope: 'campaigns:apply' }, 400, 'invalid_scope'],
    ['credentials in two places', { grant_type, client_id: 'x', client_secret: 'y' }, 400, 'invalid_request'],
  ])('refuses %s', async (_why, form, status, error) => {
    const { clientId, clientSecret } = await newApp()
    const answer = await ask(form, basic(clientId, clientSecret))
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error, error_description: expect.any(String) })
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('answers every wrong client alike', async () => {
    const { clientId, clientSecret, appId } = await newApp()
    const shutOut = await newApp()
    await pool.query('UPDATE apps SET revoked_at = now() WHERE id = $1', [shutOut.appId])
    const answers = [
      await ask({ grant_type }),
      await ask({ grant_type, client_id: clientId }),
      await ask({ grant_type }, basic(clientId, 'wrong')),
      await ask({ grant_type }, basic('tl_app_unknown', clientSecret)),
      await ask({ grant_type }, basic(appId, clientSecret)),
      await ask({ grant_type }, basic(shutOut.clientId, shutOut.clientSecret)),
      await ask({ grant_type }, { authorization: `Bearer ${clientSecret}` }),
      await ask({ grant_type }, { authorization: 'Basic !!!' }),
      await ask({ grant_type, client_id: `${clientId} `, client_secret: clientSecret }),
    ]
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual(answers[0]!.body)
      expect(headers['www-authenticate']).toContain('Basic')
    }
    expect(answers[0]!.body.error).toBe('invalid_client')
  })

  it('takes a form and nothing else', async () => {
    const { clientId, clientSecret } = await newApp()
    const json = { 'content-type': 'application/json', ...basic(clientId, clientSecret) }
    expect(await ask(JSON.stringify({ grant_type }), json)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    const nul = await ask({ grant_type, client_id: 'a\0b', client_secret: 'c' })
    expect(nul).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const large = await ask(`grant_type=${'x'.repeat(20_000)}`, basic(clientId, clientSecret))
    expect(large).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('counts against the budget of the app, whose tier says how much', async () => {
    const { clientId, clientSecret } = await newApp()
    const attempts = []
    for (let at = 0; at < 301; at++) attempts.push(await ask({ grant_type }, basic(clientId, clientSecret)))
    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(300)
    const { status, headers, body } = attempts.at(-1)!
    expect(status).toBe(429)
    expect(body.error).toBe('rate_limit_exceeded')
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    const token = attempts[0]!.body.access_token
    expect((await access.call('GET', '/profiles', { authorization: `Bearer ${token}` })).status).toBe(429)
  })
})
