import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAllowedOrigin, isOriginPattern } from '../../../../domain/tracking-settings.ts'
import { openTrackingApp, type TrackingApp } from './tracking-app.ts'

let tracking: TrackingApp
beforeAll(async () => {
  tracking = await openTrackingApp()
})
afterAll(() => tracking.close())

const defaults = {
  consent_mode: 'not_required',
  honour_gpc: true,
  honour_dnt: false,
  spa_mode: 'history',
  cookie_domain: null,
  cookie_days: 395,
  allowed_origins: [],
  location_detail: 'city',
}

describe('tracking settings', () => {
  it('are the defaults until something is changed', async () => {
    const { id, call } = await tracking.profile()
    expect((await call('GET', '/settings')).body).toEqual({ data: defaults, meta: { profile_id: id } })
  })

  it('merge what a change names, and answer the whole', async () => {
    const { call } = await tracking.profile()
    await call('PATCH', '/settings', { consent_mode: 'required', cookie_domain: ' Shop.Example.COM ' })
    const { status, body } = await call('PATCH', '/settings', { allowed_origins: ['https://WWW.example.com'] })
    const whole = {
      ...defaults,
      consent_mode: 'required',
      cookie_domain: 'shop.example.com',
      allowed_origins: ['https://www.example.com'],
    }
    expect([status, body.data]).toEqual([200, whole])
    expect((await call('PATCH', '/settings', {})).body.data).toEqual(whole)
    expect((await call('PATCH', '/settings', { cookie_domain: null })).body.data.cookie_domain).toBeNull()
  })

  it('keep an origin as browsers write it: without the port that its scheme has anyway', async () => {
    const { call } = await tracking.profile()
    const sent = ['https://shop.example.com:443', 'http://shop.example.com:80', 'https://*.example.com:443']
    const { status, body } = await call('PATCH', '/settings', {
      allowed_origins: [...sent, 'https://shop.example.com:80', 'http://localhost:443', 'https://a.example:8443'],
    })
    expect([status, body.data.allowed_origins]).toEqual([
      200,
      [
        'https://shop.example.com',
        'http://shop.example.com',
        'https://*.example.com',
        'https://shop.example.com:80',
        'http://localhost:443',
        'https://a.example:8443',
      ],
    ])
  })

  it('of two changes at once keep both', async () => {
    const { call } = await tracking.profile()
    await Promise.all([
      call('PATCH', '/settings', { cookie_days: 30 }),
      call('PATCH', '/settings', { honour_dnt: true }),
      call('PATCH', '/settings', { spa_mode: 'hash' }),
    ])
    expect((await call('GET', '/settings')).body.data).toMatchObject({
      cookie_days: 30,
      honour_dnt: true,
      spa_mode: 'hash',
    })
  })

  it.each([
    [{ unknown: 1 }, 'body'],
    [{ cookie_days: 0 }, 'cookie_days'],
    [{ cookie_days: 401 }, 'cookie_days'],
    [{ consent_mode: 'maybe' }, 'consent_mode'],
    [{ cookie_domain: 'not a domain' }, 'cookie_domain'],
    [{ cookie_domain: '127.0.0.1' }, 'cookie_domain'],
    [{ allowed_origins: ['example.com'] }, 'allowed_origins'],
    [{ allowed_origins: ['https://example.com/path'] }, 'allowed_origins'],
    [{ honour_gpc: null }, 'honour_gpc'],
  ])('refuse %j, and change nothing', async (change, field) => {
    const { call } = await tracking.profile()
    const { status, body } = await call('PATCH', '/settings', { ...change, honour_dnt: true })
    expect([status, body.error.code]).toEqual([422, 'validation_error'])
    expect(body.error.message).toMatch(new RegExp(`^${field}`))
    expect((await call('GET', '/settings')).body.data).toEqual(defaults)
  })

  it('say which there are where one is unknown, and do not repeat its name: it may be a person’s', async () => {
    const { call } = await tracking.profile()
    const { status, body } = await call('PATCH', '/settings', { 'ana.perez@example.com': 1, 'juan@example.com': 2 })
    const message = `has an unknown field; known are ${Object.keys(defaults).join(', ')}`
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ message: `body: ${message}`, fields: [{ field: 'body', message }] })
    expect(JSON.stringify(body)).not.toContain('@')
  })

  it('are each profile’s own', async () => {
    const [mine, theirs] = [await tracking.profile(), await tracking.profile()]
    await mine.call('PATCH', '/settings', { cookie_days: 1 })
    expect((await theirs.call('GET', '/settings')).body.data).toEqual(defaults)
  })

  it('are changed with attribution:write only', async () => {
    const { call } = await tracking.profile(['analytics:read'])
    expect((await call('PATCH', '/settings', {})).body.error.code).toBe('insufficient_scope')
  })
})

describe('an origin', () => {
  it.each([
    [[], undefined, true],
    [['https://a.example'], undefined, false],
    [['https://a.example'], 'https://a.example', true],
    [['https://a.example'], 'http://a.example', false],
    [['https://a.example'], 'https://a.example:444', false],
    [['https://a.example'], 'https://b.a.example', false],
    [['https://*.a.example'], 'https://b.a.example', true],
    [['https://*.a.example'], 'https://c.b.a.example', true],
    [['https://*.a.example'], 'https://a.example', false],
    [['https://*.a.example'], 'https://evil-a.example', false],
    [['https://*.a.example'], 'https://.a.example', false],
    [['https://a.example'], 'null', false],
    [['https://a.example', 'null'], 'null', true],
    [['null'], 'https://a.example', false],
    // As they were once kept.
    [['https://a.example:443'], 'https://a.example', true],
    [['http://a.example:80'], 'http://a.example', true],
    [['https://*.a.example:443'], 'https://b.a.example', true],
    [['https://a.example'], 'https://a.example:443', true],
    [['https://a.example:80'], 'https://a.example', false],
    [['http://a.example:443'], 'http://a.example', false],
    [['https://a.example:4430'], 'https://a.example', false],
  ])('under %j: %s is %s', (allowed, origin, expected) => {
    expect(isAllowedOrigin(allowed as string[], origin as string | undefined)).toBe(expected)
  })

  it.each(['https://a.example', 'http://localhost:3000', 'https://*.a.example', 'http://127.0.0.1:80', 'null'])(
    '%s is one',
    (text) => expect(isOriginPattern(text)).toBe(true),
  )
  it.each([
    '*',
    'https://',
    'https://*',
    'ftp://a.example',
    'https://a..example',
    'https://a.example:99999',
    'https://a.example:0443',
  ])('%s is none', (text) => expect(isOriginPattern(text)).toBe(false))
})
