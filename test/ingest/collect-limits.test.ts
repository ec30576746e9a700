import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ApiError, errorEnvelope } from '../../http/errors.ts'
import { commonCounts, exchangeCounts, exchangeVia, slidingWindows, type Told } from '../../http/rate-limit.ts'
import { addressList } from '../../infra/address-list.ts'
import { collectLimits } from '../../ingest/collect-limits.ts'
import { config, until } from '../kafka.ts'
import { collectApp, openWorld, type World } from './world.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const isTrustedProxy = addressList('loopback')!
const limitsOf = (perKey: number, perAddress: number, clock = () => noon) =>
  collectLimits({ perKey, perAddress, isTrustedProxy, clock })

const refusal = (call: () => void): ApiError | undefined => {
  try {
    call()
    return undefined
  } catch (error) {
    return error as ApiError
  }
}

describe('addresses', () => {
  test('have a limit each', () => {
    const limits = limitsOf(0, 2)
    for (const address of ['203.0.113.7', '203.0.113.7', '203.0.113.8']) limits.admitAddress(address)
    const error = refusal(() => limits.admitAddress('203.0.113.7'))
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429, extras: { reason: 'address_limit' } })
    expect(JSON.stringify(errorEnvelope(error!, 'r', 'http://x'))).not.toContain('203.0.113')
    limits.admitAddress('203.0.113.8')
  })

  test('of one IPv6 network share a limit', () => {
    const limits = limitsOf(0, 3)
    for (const address of ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8::f:0:0:3']) limits.admitAddress(address)
    expect(refusal(() => limits.admitAddress('2001:db8:0:0:1:2:3:4'))?.status).toBe(429)
    limits.admitAddress('2001:db8:0:1::1')
  })

  test('of our own proxies stand for many and have none', () => {
    const limits = limitsOf(0, 1)
    for (let n = 0; n < 10; n++) limits.admitAddress('127.0.0.1')
  })

  test('come back after the time that the refusal names', () => {
    let now = noon
    const limits = limitsOf(0, 1, () => now)
    limits.admitAddress('203.0.113.7')
    const seconds = refusal(() => limits.admitAddress('203.0.113.7'))!.extras.retry_after!
    now += seconds * 1000
    limits.admitAddress('203.0.113.7')
  })
})

describe('tracking keys', () => {
  test('have a limit of hits, whatever the requests they come in', () => {
    const limits = limitsOf(100, 0)
    limits.admitKey('a', 60)
    limits.admitKey('a', 60)
    limits.admitKey('b', 1)
    expect(refusal(() => limits.admitKey('a', 1))).toMatchObject({ extras: { reason: 'tracking_key_limit' } })
  })

  test('have none at 0', () => {
    const limits = limitsOf(0, 0)
    for (let n = 0; n < 10; n++) limits.admitKey('a', 1_000_000)
  })
})

describe('instances', () => {
  const redis = new Redis(config.redisUrl!)
  test('learn of each other’s counts, and keep their own while Redis is away', async () => {
    const name = randomUUID()
    const [one, two] = [slidingWindows(() => noon), slidingWindows(() => noon)]
    one.take('k', 10, 6)
    await exchangeCounts(one, redis, name)
    two.take('k', 10, 3)
    await exchangeCounts(two, redis, name)
    expect(two.take('k', 10)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(two.take('k', 10).isAllowed).toBe(false)
    // The first has not heard of it yet.
    expect(one.take('k', 10)).toMatchObject({ isAllowed: true, remaining: 3 })

    const away = new Redis(config.redisUrl!, { lazyConnect: true, enableOfflineQueue: false })
    await exchangeCounts(one, away, name)
    expect(one.take('k', 10)).toMatchObject({ isAllowed: true, remaining: 2 })
    await exchangeCounts(one, redis, name)
    await exchangeCounts(two, redis, name)
    expect(one.take('k', 10).isAllowed).toBe(false)
    await redis.quit()
  })

  test('tell of no key that is far from its limit', async () => {
    const counts = commonCounts(() => noon)
    const addUp = async (news: Told[]) => counts(news)
    const [one, two] = [slidingWindows(() => noon), slidingWindows(() => noon)]
    one.take('busy', 10, 6)
    one.take('rare', 10, 2)
    await exchangeVia(one, addUp, 5)
    two.take('busy', 10, 5)
    two.take('rare', 10, 2)
    await exchangeVia(two, addUp, 5)
    expect(two.take('busy', 10).isAllowed).toBe(false)
    expect(two.take('rare', 10)).toMatchObject({ isAllowed: true, remaining: 7 })
  })

  test('of one service count a sender together, and those of another on their own', async () => {
    const counts = commonCounts()
    const together = { salt: randomUUID(), exchange: async (news: Told[]) => counts(news) }
    const open = (addresses?: typeof together) =>
      collectLimits({ perKey: 0, perAddress: 10, isTrustedProxy, addresses, exchangeMs: 20 })
    const sender = '203.0.113.9'
    const [one, two, apart] = [open(together), open(together), open()]
    for (let n = 0; n < 5; n++) for (const limits of [one, two, apart]) limits.admitAddress(sender)
    await until(() => refusal(() => one.admitAddress(sender)) !== undefined)
    expect(refusal(() => apart.admitAddress(sender))).toBeUndefined()
    for (const limits of [one, two, apart]) limits.stop()
  })

  test('forget the longest silent key before they fill the memory', () => {
    const windows = slidingWindows(() => noon, 2)
    for (const key of ['a', 'b', 'a', 'c']) windows.take(key, 10)
    expect(windows.take('a', 10).remaining).toBe(7)
    expect(windows.take('b', 10).remaining).toBe(9)
  })
})

describe('over HTTP', () => {
  let world: World
  let app: FastifyInstance
  beforeEach(async () => {
    world = await openWorld()
  })
  afterEach(async () => {
    await app.close()
    await world.close()
  })
  const send = (headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
    app.inject({
      method: 'POST',
      url: '/collect',
      remoteAddress,
      headers,
      payload: {
        tracking_key: world.trackingKey,
        visitor_id: 'v',
        events: [{ event_id: randomUUID(), event_type: 'page_view' }],
      },
    })

  test('a client is known through a trusted proxy only, and hears when to come back', async () => {
    app = await collectApp(world, { limits: limitsOf(0, 1) })
    const from = { 'x-forwarded-for': '198.51.100.9, 203.0.113.7', origin: 'https://www.clinic.cl' }
    expect((await send(from)).statusCode).toBe(204)
    const refused = await send(from)
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
      'access-control-allow-origin': 'https://www.clinic.cl',
      'access-control-expose-headers': 'Retry-After',
    })
    expect(refused.body).not.toContain('203.0.113')
    // What the client itself put in front changes nothing; another client has a place of its own.
    expect((await send({ 'x-forwarded-for': '192.0.2.1, 203.0.113.7' })).statusCode).toBe(429)
    expect((await send({ 'x-forwarded-for': '203.0.113.8' })).statusCode).toBe(204)
    // A stranger's header is not believed.
    expect((await send({ 'x-forwarded-for': '192.0.2.2' }, '192.0.2.9')).statusCode).toBe(204)
    expect((await send({ 'x-forwarded-for': '192.0.2.3' }, '192.0.2.9')).statusCode).toBe(429)
    expect(await world.registry.metrics()).toContain(
      'touchline_ingest_refused_total{source="collect",reason="address_limit"} 3',
    )
  })

  test('a tracking key beyond its limit is refused whoever sends', async () => {
    app = await collectApp(world, { limits: limitsOf(2, 0) })
    const answers = [await send(), await send({}, '203.0.113.7'), await send({}, '203.0.113.8')]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 204, 429])
    expect(answers[2]!.json().error.reason).toBe('tracking_key_limit')
  })
})
