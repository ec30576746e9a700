import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { servedHosts } from '../../../../ingest/served-hosts.ts'
import { trackerScriptPlugin } from '../../../../ingest/tracker-script.ts'
import { domainOwners } from '../../../../postgres/stores/custom-domains.ts'
import { sampleApp } from '../../../http/test-app.ts'
import { type DnsServer, type Records, startDnsServer } from '../../../infra/dns-server.ts'
import { openTrackingApp, type TrackingApp, trackerUrl } from './tracking-app.ts'

const zone: Records = {}
let dns: DnsServer
let tracking: TrackingApp
let mine: Awaited<ReturnType<TrackingApp['profile']>>
let host: string
beforeAll(async () => {
  dns = await startDnsServer(zone)
  tracking = await openTrackingApp({ dnsServers: [dns.address] })
})
beforeEach(async () => {
  mine = await tracking.profile()
  host = `t.${randomUUID()}.com`
})
afterAll(async () => {
  await tracking.close()
  await dns.close()
})

const path = '/custom-domains'
const target = new URL(trackerUrl).hostname
const register = async (by = mine) => (await by.call('POST', path, { host })).body.data
const publish = (domain: { dns_records: { type: string; name: string; value: string }[] }) => {
  for (const { type, name, value } of domain.dns_records)
    zone[name] = type === 'TXT' ? { TXT: ['other', value] } : { CNAME: value }
}
const verify = async (id: string, by = mine) => (await by.call('POST', `${path}/${id}/verify`)).body.data

describe('a custom domain', () => {
  it('is registered once, with the records that its zone needs', async () => {
    const { status, body } = await mine.call('POST', path, { host: ` ${host.toUpperCase()}. ` })
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.any(String),
      host,
      status: 'pending',
      dns_records: [
        { type: 'TXT', name: `_touchline.${host}`, value: expect.stringMatching(/^touchline-verify=\w{32}$/) },
        { type: 'CNAME', name: host, value: target },
      ],
      checks: [],
      checked_at: null,
      created_at: expect.any(String),
    })
    const again = await mine.call('POST', path, { host })
    expect([again.status, again.body.data]).toEqual([200, body.data])
    expect((await mine.call('GET', path)).body.data).toEqual([body.data])
  })

  it.each(['', 'localhost', 'com', 'co.uk', '127.0.0.1', 'a b.com', 'https://a.com', '-a.com', target, `x.${target}`])(
    'cannot be %j',
    async (name) => {
      expect((await mine.call('POST', path, { host: name })).body.error).toMatchObject({
        code: 'validation_error',
        status: 422,
      })
    },
  )

  it('fails while its records are missing or wrong, and says what was found', async () => {
    const domain = await register()
    const first = await verify(domain.id)
    expect(first).toMatchObject({
      status: 'failed',
      checks: [
        { ok: false, found: [] },
        { ok: false, found: [] },
      ],
    })
    zone[`_touchline.${host}`] = { TXT: ['touchline-verify=wrong'] }
    zone[host] = { CNAME: 'elsewhere.example' }
    expect((await verify(domain.id)).checks).toMatchObject([
      { record: 'TXT', ok: false, found: ['touchline-verify=wrong'] },
      { record: 'CNAME', ok: false, found: ['elsewhere.example'], expected: target },
    ])
  })

  it('is verified when both are there, and is then where the profile collects', async () => {
    const domain = await register()
    publish(domain)
    expect((await mine.call('GET', '/origin')).body.data).toEqual({
      origin: trackerUrl,
      collect_url: `${trackerUrl}/collect`,
      script_url: `${trackerUrl}/tracker/v1/touchline.js`,
      source: 'default',
      custom_domain: null,
    })
    expect(await verify(domain.id)).toMatchObject({ status: 'verified', checks: [{ ok: true }, { ok: true }] })
    expect((await mine.call('GET', '/origin')).body.data).toMatchObject({
      source: 'custom_domain',
      custom_domain: host,
    })
    const { snippet, collect_url } = (await mine.call('GET', '/snippet')).body.data
    expect(collect_url).toBe(`https://${host}/collect`)
    expect(snippet).toContain(`https://${host}/tracker/v1/touchline.js`)
  })

  it('may be an alias that its provider shows as our addresses', async () => {
    const domain = await register()
    publish(domain)
    zone[target] = { A: ['198.51.100.7'] }
    zone[host] = { A: ['198.51.100.7'] }
    expect((await verify(domain.id)).status).toBe('verified')
    zone[host] = { A: ['198.51.100.8'] }
    expect((await verify(domain.id)).status).toBe('failed')
  })

  it('may lead here by way of other names', async () => {
    const domain = await register()
    publish(domain)
    zone[host] = { CNAME: `Edge.${host}` }
    zone[`edge.${host}`] = { CNAME: `cdn.${host}` }
    zone[`cdn.${host}`] = { CNAME: target }
    const { status, checks } = await verify(domain.id)
    expect([status, checks[1].found]).toEqual(['verified', [`edge.${host}`, `cdn.${host}`, target]])
  })

  it('may have another name of its own that ends at our addresses', async () => {
    const domain = await register()
    publish(domain)
    zone[target] = { A: ['198.51.100.7'] }
    zone[host] = { CNAME: `edge.${host}`, A: ['198.51.100.7'] }
    expect((await verify(domain.id)).status).toBe('verified')
    zone[host] = { CNAME: `edge.${host}`, A: ['198.51.100.8'] }
    const { status, checks } = await verify(domain.id)
    expect([status, checks[1].found]).toEqual(['failed', [`edge.${host}`, '198.51.100.8']])
  })

  it('fails when its names lead in a circle, or through more names than any zone has', async () => {
    const domain = await register()
    publish(domain)
    zone[host] = { CNAME: `a.${host}` }
    zone[`a.${host}`] = { CNAME: host }
    expect((await verify(domain.id)).status).toBe('failed')
    for (let n = 0; n < 100; n++) zone[n === 0 ? host : `n${n}.${host}`] = { CNAME: `n${n + 1}.${host}` }
    zone[`n100.${host}`] = { CNAME: target }
    const before = dns.asked.length
    expect((await verify(domain.id)).status).toBe('failed')
    expect(dns.asked.length - before).toBeLessThan(20)
  })

  it('is not verified by pointing here alone: anybody could claim it', async () => {
    const domain = await register()
    publish(domain)
    await verify(domain.id)
    const other = await tracking.profile()
    const claimed = await register(other)
    expect((await verify(claimed.id, other)).status).toBe('failed')
    expect((await verify(domain.id)).status).toBe('verified')
  })

  it('goes to who controls its zone now', async () => {
    const domain = await register()
    publish(domain)
    await verify(domain.id)
    const other = await tracking.profile()
    const claimed = await register(other)
    zone[`_touchline.${host}`] = { TXT: [domain.dns_records[0].value, claimed.dns_records[0].value] }
    expect((await verify(claimed.id, other)).status, 'both are named: the holder keeps it').toBe('failed')
    publish(claimed)
    expect((await verify(claimed.id, other)).status).toBe('verified')
    expect((await mine.call('GET', path)).body.data[0].status).toBe('failed')
  })

  it('keeps its verdict while no name server answers', async () => {
    const domain = await register()
    publish(domain)
    await verify(domain.id)
    zone[`_touchline.${host}`] = 'SERVFAIL'
    const { body } = await mine.call('POST', `${path}/${domain.id}/verify`)
    expect(body.error).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect((await mine.call('GET', path)).body.data[0].status).toBe('verified')
  })

  it('of another profile, and malformed ids, are not found', async () => {
    const domain = await register()
    const other = await tracking.profile()
    for (const id of [domain.id, 'nonsense', randomUUID()]) {
      expect((await other.call('POST', `${path}/${id}/verify`)).body.error.code).toBe('not_found')
      expect((await other.call('DELETE', `${path}/${id}`)).body.error.code).toBe('not_found')
    }
    expect((await other.call('GET', path)).body.data).toEqual([])
  })

  it('can be removed, and registered again with another token', async () => {
    const domain = await register()
    expect((await mine.call('DELETE', `${path}/${domain.id}`)).status).toBe(200)
    expect((await mine.call('DELETE', `${path}/${domain.id}`)).status).toBe(404)
    expect((await register()).dns_records[0].value).not.toBe(domain.dns_records[0].value)
  })

  it('is one of at most twenty', async () => {
    for (let n = 0; n < 20; n++) await mine.call('POST', path, { host: `a${n}.${host}` })
    expect((await mine.call('POST', path, { host: `b.${host}` })).body.error.code).toBe('invalid_state')
    expect((await mine.call('POST', path, { host: `a7.${host}` })).status).toBe(200)
  })

  it('is one of at most twenty also where many are registered at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => mine.call('POST', path, { host: `a${n}.${host}` })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(answers.filter(({ body }) => body.error?.code === 'invalid_state')).toHaveLength(20)
    expect((await mine.call('GET', path)).body.data).toHaveLength(20)
  })

  it('is registered once by many who ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => mine.call('POST', path, { host })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
  })
})

describe('a host', () => {
  it('is served when it is ours or verified, and at no other time', async () => {
    const app = await sampleApp(tracking.pool, {
      plugins: [
        servedHosts({ own: ['t.touchline.example'], ownerOf: domainOwners(tracking.pool, { freshMs: 0 }) }, [
          trackerScriptPlugin(tracking.deps.tracker),
        ]),
      ],
    })
    const ask = async (name: string) =>
      (await app.inject({ url: '/tracker/v1/touchline.js', headers: { host: name } })).statusCode
    expect(
      await Promise.all(['t.touchline.example', 'T.Touchline.example:8080', '127.0.0.1:8080', '[::1]'].map(ask)),
    ).toEqual([200, 200, 200, 200])
    const domain = await register()
    expect(await ask(host)).toBe(404)
    publish(domain)
    expect(await ask(host)).toBe(404)
    await verify(domain.id)
    expect(await ask(`${host}:443`)).toBe(200)
    delete zone[host]
    await verify(domain.id)
    expect(await ask(host)).toBe(404)
    await app.close()
  })
})
