import { createServer } from 'node:net'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeyAuthentication } from '../../http/app.ts'
import { type Engine, EngineUnavailable } from '../../infra/unavailable.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { bearer, sampleApp } from './test-app.ts'

let pool: pg.Pool
let headers: { authorization: string }
const never = () => new Promise<never>(() => {})
const silent = createServer(() => {})
const away = createClient({ url: 'http://127.0.0.1:1', log: { level: ClickHouseLogLevel.OFF } })

beforeAll(async () => {
  pool = await openPostgres()
  headers = await bearer(pool, await createProfile(pool), ['analytics:read'])
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
})
afterAll(async () => {
  silent.close()
  await pool.end()
})

const silentUrl = () => `postgres://x:y@127.0.0.1:${(silent.address() as { port: number }).port}/x`

describe('/readyz', () => {
  it('is ready when every engine answers', async () => {
    const app = await sampleApp(pool, { checks: { postgres: () => pool.query('SELECT 1') } })
    const response = await app.inject({ url: '/readyz' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ status: 'ready', engines: { postgres: 'ok' } })
    await app.close()
  })

  it('names the engine that is down, also one that accepts connections and says nothing', async () => {
    const gone = connectPostgres(silentUrl())
    const checks = {
      postgres: () => gone.query('SELECT 1'),
      kafka: () => Promise.reject(new Error('away')),
      clickhouse: () => Promise.resolve(),
    }
    const app = await sampleApp(pool, { checks })
    const response = await app.inject({ url: '/readyz' })
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('2')
    expect(response.json().error).toMatchObject({
      code: 'service_unavailable',
      engines: { postgres: 'down', kafka: 'down', clickhouse: 'ok' },
    })
    expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200)
    await app.close()
    await gone.end()
  })
})

describe('an engine that fails under a request', () => {
  const failures: [string, () => Promise<never>][] = [
    ['an unavailable engine', () => Promise.reject(new EngineUnavailable('kafka'))],
    ['a refused connection', () => connectPostgres('postgres://x:y@127.0.0.1:1/x').query('SELECT 1') as Promise<never>],
    ['a silent server', () => connectPostgres(silentUrl()).query('SELECT 1') as Promise<never>],
    [
      'a statement that ran out of time',
      () => pool.query('SET LOCAL statement_timeout = 1; SELECT pg_sleep(5)') as Promise<never>,
    ],
    ['a warehouse that is away', () => away.query({ query: 'SELECT 1' }) as never],
  ]
  it.each(failures)('answers service_unavailable: %s', async (_name, fail) => {
    const app = await sampleApp(pool, { fail })
    const response = await app.inject({ url: '/api/v1/fail', headers })
    expect(response.statusCode).toBe(503)
    expect(response.json().error).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(response.headers['retry-after']).toBe('2')
    await app.close()
  })

  it('is asked when a handler takes long, and a dead one ends the request', async () => {
    const asked: Engine[] = []
    const checks = {
      postgres: async () => void asked.push('postgres'),
      clickhouse: () => {
        asked.push('clickhouse')
        return never()
      },
      kafka: async () => void asked.push('kafka'),
    }
    const app = await sampleApp(pool, { fail: never, checks })
    const response = await app.inject({ url: '/api/v1/fail', headers })
    expect(response.statusCode).toBe(503)
    expect(response.json().error.message).toContain('clickhouse')
    // Kafka is none of the engines that these operations wait for.
    expect(asked).toEqual(['postgres', 'clickhouse'])
    await app.close()
  })

  it('lets a slow request go on while the engines answer', async () => {
    let asked = 0
    let release: (error: Error) => void = () => {}
    const slow = () => new Promise<never>((_, reject) => (release = reject))
    const check = async () => {
      asked++
      if (asked === 2) release(new Error('done at last'))
    }
    const app = await sampleApp(pool, { fail: slow, checks: { clickhouse: check } })
    const response = await app.inject({ url: '/api/v1/fail', headers })
    expect(asked).toBe(2)
    expect(response.json().error.code).toBe('internal_error')
    await app.close()
  })

  it('answers 503 when the keys themselves cannot be read', async () => {
    const gone = connectPostgres(silentUrl())
    const app = await sampleApp(pool, { authenticate: apiKeyAuthentication(gone) })
    const response = await app.inject({ url: '/api/v1/leaky', headers })
    expect(response.statusCode).toBe(503)
    expect(response.json().error.message).toContain('postgres')
    await app.close()
    await gone.end()
  })
})
