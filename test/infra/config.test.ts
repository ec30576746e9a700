import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../infra/config.ts'

const load = (env: Record<string, string>) =>
  loadConfig({
    TOUCHLINE_HOME: '/nowhere',
    KAFKA_BROKERS: '127.0.0.1:1',
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    DATABASE_URL: 'postgres://127.0.0.1:1/x',
    TOUCHLINE_SECRET: randomBytes(32).toString('base64'),
    ...env,
  })

test('only this machine is a proxy, only the inside reads metrics, and the collector has room, unless said otherwise', () => {
  const config = load({})
  expect(['127.0.0.1', '10.0.0.1'].map(config.isTrustedProxy)).toEqual([true, false])
  expect(['127.0.0.1', '10.0.0.1', '203.0.113.7'].map(config.isMetricsReader)).toEqual([true, true, false])
  expect(config.collectLimits).toEqual({ perKey: 6_000_000, perAddress: 6_000 })
  expect(config.geoipDatabase).toBeUndefined()
  expect(config.isOutboundAllowed('127.0.0.1')).toBe(false)
  expect(config.dnsServers).toBeUndefined()
})

test('brokers are told apart by commas, with or without a space', () => {
  expect(load({ KAFKA_BROKERS: 'a:9092, b:9092 ,[::1]:9092' }).kafkaBrokers).toEqual(['a:9092', 'b:9092', '[::1]:9092'])
  for (const bad of [',', 'a:9092,', 'a:port', 'http://a:9092']) {
    expect(() => load({ KAFKA_BROKERS: bad }), bad).toThrow('KAFKA_BROKERS is not usable')
  }
})

test('keys of tokens come in pairs, the first of which signs', () => {
  const [first, second] = [randomBytes(32), randomBytes(48)]
  const text = `2027-01:${first.toString('base64')}, old:${second.toString('base64')}`
  expect(load({ TOKEN_KEYS: text }).tokenKeys).toEqual([
    { id: '2027-01', secret: first },
    { id: 'old', secret: second },
  ])
  expect(load({}).tokenKeys).toEqual([])
  for (const bad of ['x', 'x:', `:${text}`, `x:${randomBytes(31).toString('base64')}`, `${text},`]) {
    expect(() => load({ TOKEN_KEYS: bad }), bad).toThrow('TOKEN_KEYS is not usable')
  }
})

test('each can be set', () => {
  const config = load({
    TRUSTED_PROXIES: '10.0.0.0/8, loopback',
    METRICS_ALLOWED: 'none',
    COLLECT_LIMIT_PER_KEY: '0',
    COLLECT_LIMIT_PER_ADDRESS: '10',
    GEOIP_DATABASE: '/data/city.mmdb',
    OUTBOUND_ALLOWED: '10.0.0.0/8',
    DNS_SERVERS: '10.0.0.53, [fd00::53]:5353,127.0.0.1:5300',
  })
  expect(['10.1.2.3', '127.0.0.1', '11.0.0.1'].map(config.isTrustedProxy)).toEqual([true, true, false])
  expect(config.isMetricsReader('127.0.0.1')).toBe(false)
  expect(config.collectLimits).toEqual({ perKey: 0, perAddress: 10 })
  expect(config.geoipDatabase).toBe('/data/city.mmdb')
  expect(['10.1.2.3', '127.0.0.1'].map(config.isOutboundAllowed)).toEqual([true, false])
  expect(config.dnsServers).toEqual(['10.0.0.53', '[fd00::53]:5353', '127.0.0.1:5300'])
})

describe('a setting that is not usable stops the start with a sentence that names it', () => {
  test.each([
    ['TRUSTED_PROXIES', 'everybody'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['METRICS_ALLOWED', 'localhost'],
    ['COLLECT_LIMIT_PER_KEY', '-1'],
    ['COLLECT_LIMIT_PER_ADDRESS', 'many'],
    ['OUTBOUND_ALLOWED', 'everybody'],
    ['DNS_SERVERS', 'ns1.example.com'],
    ['DNS_SERVERS', '127.0.0.1:port'],
  ])('%s=%s', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(ConfigError)
    expect(() => load({ [name]: value })).toThrow(new RegExp(`^${name} is not usable: .+ start again\\.$`))
  })
})
