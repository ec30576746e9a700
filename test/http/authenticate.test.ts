import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { formatApiKey, mintApiKey } from '../../domain/api-keys.ts'
import { apiKeyAuthentication } from '../../http/authenticate.ts'
import { createApiKey, revokeApiKey } from '../../postgres/stores/api-keys.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { sampleApp } from './test-app.ts'

let pool: pg.Pool
let app: FastifyInstance
let profileId: string

beforeAll(async () => {
  pool = await openPostgres()
  profileId = await createProfile(pool)
  app = await sampleApp(pool)
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

const url = '/api/v1/rows?date_from=2026-01-01&date_to=2026-01-02'
const get = (authorization?: string) =>
  app.inject({ url, headers: authorization === undefined ? {} : { authorization } })
const keyWith = (options: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
  createApiKey(pool, { profileId, scopes: ['campaigns:read'], ...options })

describe('an API key', () => {
  it('is accepted while it is live', async () => {
    const { key } = await keyWith()
    expect((await get(`Bearer ${key}`)).statusCode).toBe(200)
    expect((await get(`bearer ${key}`)).statusCode).toBe(200)
  })

  it('gets one answer for every way of being no credential', async () => {
    const { key } = await keyWith()
    const expired = await keyWith({ expiresAt: new Date(Date.now() - 1000) })
    const revoked = await keyWith()
    await revokeApiKey(pool, profileId, revoked.keyId)
    const forged = formatApiKey({ ...mintApiKey(), id: revoked.keyId })
    const unknown = formatApiKey(mintApiKey())
    const candidates = [
      undefined,
      '',
      'Bearer',
      `Basic ${key}`,
      key,
      `Bearer ${key} x`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${expired.key}`,
      `Bearer ${revoked.key}`,
      `Bearer ${forged}`,
      `Bearer ${unknown}`,
      'Bearer eyJhbGciOiJub25lIn0.e30.',
    ]
    const messages = new Set<string>()
    for (const candidate of candidates) {
      const response = await get(candidate)
      expect(response.statusCode, String(candidate)).toBe(401)
      expect(response.headers['www-authenticate']).toContain('Bearer')
      expect(response.json().error.code).toBe('unauthorized')
      messages.add(response.json().error.message)
    }
    expect(messages.size).toBe(1)
  })

  it('with a wrong checksum costs no look-up', async () => {
    const look = vi.spyOn(pool, 'query')
    await get('Bearer tl_live_000000000000_00000000000000000000000000000000000000')
    expect(look).not.toHaveBeenCalled()
    look.mockRestore()
  })

  it('is read from the store again once the second of its cache is over, so that a revocation holds', async () => {
    let now = Date.now()
    const authenticate = apiKeyAuthentication(pool, () => now)
    const { key, keyId } = await keyWith()
    const presented = { method: 'GET', headers: { authorization: `Bearer ${key}` } }
    await authenticate(presented)
    await revokeApiKey(pool, profileId, keyId)
    now += 1001
    await expect(authenticate(presented)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('is marked as used', async () => {
    const { key, keyId } = await keyWith()
    await get(`Bearer ${key}`)
    await vi.waitFor(async () => {
      const { rows } = await pool.query('SELECT last_used_at FROM api_keys WHERE id = $1', [keyId])
      expect(rows[0].last_used_at).toBeInstanceOf(Date)
    })
  })

  it('dies with the archive of its profile', async () => {
    const archived = await createProfile(pool)
    const { key } = await createApiKey(pool, { profileId: archived, scopes: ['campaigns:read'] })
    await pool.query('UPDATE profiles SET archived_at = now() WHERE id = $1', [archived])
    expect((await get(`Bearer ${key}`)).statusCode).toBe(401)
  })

  it('is stored without its secret', async () => {
    const { key, keyId } = await keyWith()
    const { rows } = await pool.query('SELECT row_to_json(k)::text AS text FROM api_keys k WHERE id = $1', [keyId])
    expect(rows[0].text).not.toContain(key.split('_')[3]!.slice(0, 32))
  })
})

describe('scopes', () => {
  it('open an operation when one of those it lists is held', async () => {
    const { key } = await keyWith({ scopes: ['conversions:read'] })
    expect((await get(`Bearer ${key}`)).statusCode).toBe(200)
  })

  it('open it through a bundle', async () => {
    const { key } = await keyWith({ scopes: ['analytics'] })
    expect((await get(`Bearer ${key}`)).statusCode).toBe(200)
  })

  it('that are missing are named', async () => {
    const { key } = await keyWith({ scopes: ['customers:read'] })
    const response = await get(`Bearer ${key}`)
    expect(response.statusCode).toBe(403)
    expect(response.json().error).toMatchObject({
      code: 'insufficient_scope',
      required_scopes: ['campaigns:read', 'conversions:read'],
    })
  })

  it('are checked before the body is read', async () => {
    const { key } = await keyWith({ scopes: ['customers:read'] })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/api/v1/rows', headers, payload: '{broken' })
    expect(response.json().error.code).toBe('insufficient_scope')
  })
})
