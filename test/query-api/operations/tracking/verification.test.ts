import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyAllows } from '../../../../query-api/tracking/content-policy.ts'
import { until } from '../../../kafka.ts'
import { openTrackingApp, type TrackingApp, trackerUrl } from './tracking-app.ts'

let tracking: TrackingApp
let server: Server
let base: string
let shown: { status?: number; html: string; headers?: Record<string, string>; after?: Promise<void> } = { html: '' }
beforeAll(async () => {
  tracking = await openTrackingApp()
  server = createServer(async (_request, response) => {
    await shown.after
    response.writeHead(shown.status ?? 200, { 'content-type': 'text/html', ...shown.headers })
    response.end(shown.html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await tracking.close()
})

type Profile = Awaited<ReturnType<TrackingApp['profile']>>
const page = (head: string, body = '') => ({
  html: `<!doctype html><html><head>${head}</head><body>${body}</body></html>`,
})
const snippet = async ({ call }: Profile) => (await call('GET', '/snippet')).body.data.snippet as string

async function verdict(profile: Profile, url = base) {
  const started = await profile.call('POST', '/verification', { url })
  expect([started.status, started.body.data.status, started.body.data.checks]).toEqual([202, 'running', []])
  await until(async () => (await profile.call('GET', '/verification')).body.data.status !== 'running')
  const { data } = (await profile.call('GET', '/verification')).body
  expect(data.id).toBe(started.body.data.id)
  const checks: Record<string, string> = Object.fromEntries(
    data.checks.map(({ key, status }: { key: string; status: string }) => [key, status]),
  )
  return { status: data.status as string, checks, data }
}

describe('an install verification', () => {
  it('is null before the first', async () => {
    const { id, call } = await tracking.profile()
    expect((await call('GET', '/verification')).body).toEqual({ data: null, meta: { profile_id: id } })
  })

  it('passes a page that carries the snippet first', async () => {
    const profile = await tracking.profile()
    shown = page(`${await snippet(profile)}<script src="/app.js"></script>`)
    expect(await verdict(profile)).toMatchObject({
      status: 'passed',
      checks: {
        page_reachable: 'pass',
        snippet_found: 'pass',
        key_matches: 'pass',
        installed_once: 'pass',
        placed_first: 'pass',
        policy_allows: 'pass',
        hits_arriving: 'warn',
      },
    })
    await tracking.pool.query('UPDATE tracking_keys SET last_seen_at = now() WHERE profile_id = $1', [profile.id])
    expect((await verdict(profile)).checks.hits_arriving).toBe('pass')
  })

  it('says what is wrong with one that does not', async () => {
    const profile = await tracking.profile()
    const own = await snippet(profile)
    shown = page('<title>Nothing</title>')
    expect(await verdict(profile)).toMatchObject({ status: 'failed', checks: { snippet_found: 'fail' } })
    shown = page(`<!-- ${own} -->`)
    expect((await verdict(profile)).checks.snippet_found).toBe('fail')
    shown = page('<script src="https://www.googletagmanager.com/gtm.js?id=GTM-1"></script>')
    expect(await verdict(profile)).toMatchObject({ status: 'passed', checks: { snippet_found: 'warn' } })
    shown = page(await snippet(await tracking.profile()))
    expect(await verdict(profile)).toMatchObject({ status: 'failed', checks: { key_matches: 'fail' } })
    shown = page(own + own)
    expect((await verdict(profile)).checks.installed_once).toBe('warn')
    shown = page('<script src="/first.js"></script>', own)
    expect((await verdict(profile)).checks.placed_first).toBe('warn')
    shown = { ...page(own), headers: { 'content-security-policy': "default-src 'self'" } }
    expect(await verdict(profile)).toMatchObject({ status: 'failed', checks: { policy_allows: 'fail' } })
    shown = {
      ...page(own),
      headers: { 'content-security-policy': `script-src 'unsafe-inline' ${trackerUrl}; connect-src *` },
    }
    expect((await verdict(profile)).checks.policy_allows).toBe('pass')
    shown.headers = { 'content-security-policy': `script-src 'self' ${trackerUrl}; connect-src *` }
    expect(await verdict(profile)).toMatchObject({ status: 'failed', checks: { policy_allows: 'fail' } })
    shown = { ...page((await profile.call('GET', '/snippet')).body.data.tag), headers: shown.headers }
    expect(await verdict(profile)).toMatchObject({ status: 'passed', checks: { policy_allows: 'pass' } })
  })

  it('sees whether both elements of the snippet have the nonce that the policy asks for', async () => {
    const profile = await tracking.profile()
    const own = await snippet(profile)
    const headers = { 'content-security-policy': "script-src 'nonce-aB1' 'strict-dynamic'" }
    shown = { ...page(own.replace('<script>', '<script nonce="aB1">')), headers }
    expect((await verdict(profile)).checks.policy_allows).toBe('fail')
    shown = { ...page(own.replaceAll('<script', '<script nonce="aB1"')), headers }
    expect((await verdict(profile)).checks.policy_allows).toBe('pass')
    // An older snippet makes the element itself.
    const older = own.replace(/<script async.*/, '')
    shown = { ...page(older), headers }
    expect((await verdict(profile)).checks.policy_allows).toBe('fail')
    shown = { ...page(older.replace('<script', '<script nonce="aB1"')), headers }
    expect((await verdict(profile)).checks.policy_allows).toBe('pass')
  })

  it('follows no redirect, and tells what it got', async () => {
    const profile = await tracking.profile()
    shown = { status: 302, html: '', headers: { location: 'http://169.254.169.254/' } }
    expect(await verdict(profile)).toMatchObject({ status: 'failed', checks: { page_reachable: 'fail' } })
    shown = { status: 404, html: '' }
    expect((await verdict(profile)).data.checks[0].message).toBe('The page answers with status 404.')
    shown = { html: '{}', headers: { 'content-type': 'application/json' } }
    expect((await verdict(profile)).checks.page_reachable).toBe('fail')
  })

  it('reaches nothing that is not public', async () => {
    const profile = await tracking.profile()
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/', 'http://0/']) {
      const { data } = await verdict(profile, url)
      expect(data.checks[0]).toEqual({
        key: 'page_reachable',
        status: 'fail',
        message: 'The host is not on the public internet.',
      })
    }
  })

  it.each(['', 'nonsense', 'ftp://example.com/', 'javascript:alert(1)', 'https://me:secret@example.com/'])(
    'of %j is refused',
    async (url) => {
      const { call } = await tracking.profile()
      expect((await call('POST', '/verification', { url })).body.error).toMatchObject({ code: 'validation_error' })
      expect((await call('GET', '/verification')).body.data).toBeNull()
    },
  )

  it('that never ended has failed', async () => {
    const { id, call } = await tracking.profile()
    await tracking.pool.query(
      `INSERT INTO install_verifications (profile_id, url, started_at) VALUES ($1, $2, now() - interval '1 hour')`,
      [id, base],
    )
    expect((await call('GET', '/verification')).body.data).toMatchObject({ status: 'failed', finished_at: null })
  })

  it('waits while others of the profile run', async () => {
    const { id, call } = await tracking.profile()
    await tracking.pool.query(
      'INSERT INTO install_verifications (profile_id, url) SELECT $1, $2 FROM generate_series(1, 3)',
      [id, base],
    )
    const { status, body } = await call('POST', '/verification', { url: base })
    expect([status, body.error.code, body.error.reason]).toEqual([429, 'rate_limit_exceeded', 'verifications_running'])
  })

  it('is one of at most three at once, however many are started in the same moment', async () => {
    const { call } = await tracking.profile()
    const { promise: after, resolve: answer } = Promise.withResolvers<void>()
    shown = { html: '', after }
    const started = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/verification', { url: base })))
    expect(started.filter(({ status }) => status === 202)).toHaveLength(3)
    expect(started.filter(({ body }) => body.error?.reason === 'verifications_running')).toHaveLength(17)
    answer()
    await until(async () => (await call('POST', '/verification', { url: base })).status === 202)
  })
})

describe('a content-security policy', () => {
  const url = 'https://t.example.com/collect'
  it.each([
    [[], true],
    [["default-src 'self'"], false],
    [['default-src *'], true],
    [['default-src https:'], true],
    [['connect-src https://t.example.com'], true],
    [['connect-src t.example.com'], true],
    [['connect-src https://*.example.com'], true],
    [['connect-src https://*.t.example.com'], false],
    [['connect-src https://t.example.com:8443'], false],
    [["default-src 'none'; connect-src https://t.example.com"], true],
    [['connect-src *', "connect-src 'self'"], false],
    [['script-src https://other.example'], true],
  ])('%j lets hits be sent: %s', (policies, expected) => {
    expect(policyAllows(policies as string[], 'connect-src', url)).toBe(expected)
  })
})
