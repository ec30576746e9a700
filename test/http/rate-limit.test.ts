import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../http/errors.ts'
import { localRateLimiter, type RateLimiter, redisRateLimiter } from '../../http/rate-limit.ts'
import { loadConfig } from '../../infra/config.ts'
import { connectRedis } from '../../infra/redis.ts'
import { createApp } from '../../postgres/stores/apps.ts'
import { credentialsOf, testAccess } from '../credentials.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { bearer, sampleApp } from './test-app.ts'

const { redisUrl } = loadConfig({ ...process.env, BASE_URL: '' })
const minute = 60_000

async function take(limiter: RateLimiter, key: string, limit: number, times: number): Promise<number> {
  let allowed = 0
  for (let n = 0; n < times; n++) if ((await limiter(key, limit)).isAllowed) allowed++
  return allowed
}

describe('the limiter in process', () => {
  it('admits exactly the limit in a fresh minute, for each key on its own', async () => {
    const limiter = localRateLimiter(() => 10 * minute)
    expect(await take(limiter, 'a', 5, 12)).toBe(5)
    expect(await take(limiter, 'b', 5, 12)).toBe(5)
  })

  it('carries the last minute over as far as the sliding window reaches', async () => {
    let now = 10 * minute
    const limiter = localRateLimiter(() => now)
    expect(await take(limiter, 'a', 100, 100)).toBe(100)
    now += minute + minute / 2
    expect(await take(limiter, 'a', 100, 200)).toBe(50)
    now += 2 * minute
    expect(await take(limiter, 'a', 100, 200)).toBe(100)
  })

  it('says when a refused caller gets a place, and keeps the word', async () => {
    for (const [limit, spentAt] of [
      [5, 0],
      [7, 59_000],
      [100, 31_234],
    ] as const) {
      let now = 10 * minute + spentAt
      const limiter = localRateLimiter(() => now)
      await take(limiter, 'a', limit, limit)
      const refused = await limiter('a', limit)
      expect(refused).toMatchObject({ isAllowed: false, remaining: 0 })
      now += refused.resetInSeconds * 1000 + 1
      expect((await limiter('a', limit)).isAllowed).toBe(true)
    }
  })
})

describe('the limiter in Redis', () => {
  let first: Redis
  let second: Redis
  beforeAll(async () => {
    first = connectRedis(redisUrl!)
    second = connectRedis(redisUrl!)
    await Promise.all([once(first, 'ready'), once(second, 'ready')])
  })
  afterAll(() => {
    first.disconnect()
    second.disconnect()
  })

  it('is shared by instances, also when they ask at once', async () => {
    const key = randomUUID()
    const limiters = [redisRateLimiter(first), redisRateLimiter(second)]
    const verdicts = await Promise.all(Array.from({ length: 60 }, (_, n) => limiters[n % 2]!(key, 20)))
    const allowed = verdicts.filter((verdict) => verdict.isAllowed).length
    // At the turn of a minute one place may have come free.
    expect(allowed).toBeGreaterThanOrEqual(20)
    expect(allowed).toBeLessThanOrEqual(21)
  })

  it('holds for four instances that are asked at once: at most 5 % over the limit in any minute', async () => {
    const instances = Array.from({ length: 4 }, () => connectRedis(redisUrl!))
    await Promise.all(instances.map((redis) => once(redis, 'ready')))
    const limiters = instances.map((redis) => redisRateLimiter(redis))
    for (const limit of [300, 1200]) {
      const key = randomUUID()
      let allowed = 0
      const caller = async (limiter: RateLimiter) => {
        for (let n = 0; n < limit / 2; n++) if ((await limiter(key, limit)).isAllowed) allowed++
      }
      await Promise.all(limiters.flatMap((limiter) => [caller(limiter), caller(limiter)]))
      expect(allowed).toBeGreaterThanOrEqual(limit)
      expect(allowed).toBeLessThanOrEqual(limit * 1.05)
    }
    for (const redis of instances) redis.disconnect()
  })

  it('judges requests that share a round trip as if each had asked alone', async () => {
    const limiter = redisRateLimiter(first)
    const keys = [randomUUID(), randomUUID()]
    const verdicts = await Promise.all(Array.from({ length: 14 }, (_, n) => limiter(keys[n % 2]!, n % 2 ? 4 : 1000)))
    const ofKey = (at: number) => verdicts.filter((_, n) => n % 2 === at)
    expect(ofKey(0).map(({ remaining }) => remaining)).toEqual([999, 998, 997, 996, 995, 994, 993])
    expect(ofKey(1).map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, true, false, false, false])
    expect(ofKey(1).map(({ remaining }) => remaining)).toEqual([3, 2, 1, 0, 0, 0, 0])
  })

  it('falls back to its own count when Redis is away, and when it does not answer', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    const { port } = silent.address() as { port: number }
    for (const address of ['redis://127.0.0.1:1', `redis://127.0.0.1:${port}`]) {
      const redis = connectRedis(address)
      expect(await take(redisRateLimiter(redis), 'a', 3, 5)).toBe(3)
      redis.disconnect()
    }
    silent.close()
  })
})

it('says when to come back on every 429, whoever refuses', () => {
  for (const code of ['rate_limit_exceeded', 'quota_exceeded', 'chatapp_register_limit'] as const) {
    const { headers } = new ApiError(code)
    expect(headers['retry-after']).toBe('60')
    expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000)
  }
  expect(new ApiError('rate_limit_exceeded', undefined, { retry_after: 2.5 }).headers['retry-after']).toBe('3')
  expect(new ApiError('not_found').headers).toEqual({})
})

describe('a limited key', () => {
  let pool: pg.Pool
  beforeAll(async () => {
    pool = await openPostgres()
  })
  afterAll(() => pool.end())

  it('hears its limit, what is left, and when to come back; events have a budget of their own', async () => {
    const app = await sampleApp(pool, { rateLimiter: localRateLimiter() })
    const headers = await bearer(pool, await createProfile(pool), ['analytics:read', 'attribution:write'], 2)
    const get = () => app.inject({ url: '/api/v1/leaky', headers })
    expect((await get()).headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' })
    expect((await get()).statusCode).toBe(200)
    const refused = await get()
    expect(refused.statusCode).toBe(429)
    expect(refused.json().error).toMatchObject({ code: 'rate_limit_exceeded', retry_after: expect.any(Number) })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000 - 1)
    const event = await app.inject({ method: 'POST', url: '/api/v1/rows', headers, payload: { email: 'a@b.co' } })
    expect(event.statusCode).toBe(202)
    expect(event.headers['x-ratelimit-limit']).toBe('40')
    await app.close()
  })
  it('is counted on its own, the tokens of an app together, over two instances', async () => {
    const access = testAccess(pool)
    const as = credentialsOf(pool, access)
    const profileId = await createProfile(pool)
    const redis = [connectRedis(redisUrl!), connectRedis(redisUrl!)]
    await Promise.all(redis.map((one) => once(one, 'ready')))
    const { authenticate } = access
    const apps = await Promise.all(
      redis.map((one) => sampleApp(pool, { authenticate, rateLimiter: redisRateLimiter(one) })),
    )
    const remaining = async (headers: Record<string, string>, instance = 0) =>
      Number((await apps[instance]!.inject({ url: '/api/v1/leaky', headers })).headers['x-ratelimit-remaining'])
    const { appId } = await createApp(pool, {
      name: 'app',
      tier: 'standard',
      redirectUris: [],
      returnOrigins: [],
      scopes: ['analytics'],
    })
    const tokens = [await as.appToken(appId), await as.appToken(appId)]
    expect(await remaining(tokens[0]!)).toBe(299)
    expect(await remaining(tokens[1]!, 1)).toBe(298)
    const keys = [await bearer(pool, profileId, ['analytics:read']), await bearer(pool, profileId, ['analytics:read'])]
    expect(await remaining(keys[0]!)).toBe(299)
    expect(await remaining(keys[1]!, 1)).toBe(299)
    expect(await remaining(keys[0]!, 1)).toBe(298)
    for (const app of apps) await app.close()
    for (const one of redis) one.disconnect()
  })
})
