import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { createProfile as createWholeProfile } from '../../../../postgres/stores/tenancy.ts'
import { operations } from '../../../../query-api/operations/index.ts'
import { ownCodec } from '../../../../schemas/codec.ts'
import { topics } from '../../../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../../../fresh-database.ts'
import { baseUrl, bearer, captureLog } from '../../../http/test-app.ts'
import { serverUrl } from '../../../profiles.ts'

let database: FreshDatabase
let pool: pg.Pool
let app: FastifyInstance
let profileId: string
let headers: { authorization: string }
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
  app = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(pool),
    // None of these operations reads the warehouse.
    mounts: [mount(operations, { postgres: pool, clickhouse: undefined as never }, ['postgres'])],
  })
})
beforeEach(async () => {
  profileId = (await createWholeProfile(pool, { name: 'shop' })).profileId
  headers = await bearer(pool, profileId, ['goals:write', 'analytics:read'], 10_000)
  await pool.query('DELETE FROM outbox')
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const get = (path: string, as = headers) => app.inject({ url: `/api/v1${path}`, headers: as })
const post = (path: string, payload: object, as = headers) =>
  app.inject({ method: 'POST', url: `/api/v1${path}`, headers: as, payload })
const save = (payload: object) => post('/goals/definitions', payload)
const demo = { conversion_key: 'demo_booked', name: 'Demo booked', revenue_type: 'pipeline' }

async function told() {
  const { rows } = await pool.query<{ value: Buffer }>('SELECT value FROM outbox ORDER BY id')
  return rows.map(({ value }) => {
    const decoded = ownCodec.decode(topics.settings, value)
    if (decoded.kind !== 'ok') throw new Error(decoded.why)
    const { version, value: setting } = decoded.value
    return { version, ...('touchline.DefinitionSetting' in setting ? setting['touchline.DefinitionSetting'] : {}) }
  })
}

describe('a conversion definition', () => {
  it('is created with what is left out filled in, and told to the stream', async () => {
    const answer = await save(demo)
    expect(answer.statusCode).toBe(201)
    expect(answer.json().data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      conversion_key: 'demo_booked',
      name: 'Demo booked',
      event_types: ['demo_booked'],
      revenue_type: 'pipeline',
      is_attribution_eligible: true,
      lookback_window_days: 30,
      is_default: false,
      version: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect(await told()).toEqual([
      expect.objectContaining({
        version: 1,
        conversion_key: 'demo_booked',
        lookback_window_days: 30,
        is_deleted: false,
      }),
    ])
  })

  it('is changed by its key, keeps what a request leaves out, and is read back', async () => {
    const { data: first } = (await save(demo)).json()
    const changed = await save({
      conversion_key: 'demo_booked',
      lookback_window_days: 7,
      is_default: true,
      event_types: ['b', 'a'],
    })
    expect(changed.statusCode).toBe(200)
    const { data } = changed.json()
    expect(data).toMatchObject({
      ...first,
      lookback_window_days: 7,
      is_default: true,
      event_types: ['a', 'b'],
      version: 2,
      updated_at: data.updated_at,
    })
    expect((await get(`/goals/definitions/${first.id}`)).json().data).toEqual(data)
    expect((await told()).map(({ version }) => version)).toEqual([1, 2])
  })

  it('that is saved unchanged is told to nobody: a message would derive the whole profile again', async () => {
    await save({ ...demo, event_types: ['b', 'a'] })
    const again = await save({ ...demo, event_types: ['a', 'b'] })
    expect(again.json().data.version).toBe(1)
    expect(await told()).toHaveLength(1)
  })

  it('never shares an event type with another', async () => {
    await save({ ...demo, event_types: ['demo', 'call'] })
    const other = { conversion_key: 'call_made', name: 'Call', revenue_type: 'pipeline', event_types: ['call', 'ring'] }
    const refused = await save(other)
    expect(refused.json().error).toMatchObject({
      code: 'invalid_state',
      reason: 'event_type_taken',
      event_types: ['call'],
    })
    expect((await get('/goals')).json().data.map(({ goal }: { goal: string }) => goal)).not.toContain('call_made')
    expect(await told()).toHaveLength(1)
    await save({ ...demo, event_types: ['demo'] })
    expect((await save(other)).statusCode).toBe(201)
  })

  it('is one, whose versions follow each other, under concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => save({ ...demo, lookback_window_days: n + 1, event_types: [`t${n % 3}`] })),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
    expect((await told()).map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  })

  it.each([
    [{ name: 'No key', revenue_type: 'cash' }, 'conversion_key'],
    [{ conversion_key: 'Demo Booked', name: 'x', revenue_type: 'cash' }, 'conversion_key'],
    [{ conversion_key: 'x'.repeat(65), name: 'x', revenue_type: 'cash' }, 'conversion_key'],
    [{ conversion_key: 'new_one', revenue_type: 'cash' }, 'name'],
    [{ conversion_key: 'new_one', name: 'x' }, 'revenue_type'],
    [{ ...demo, revenue_type: 'gold' }, 'revenue_type'],
    [{ ...demo, lookback_window_days: 0 }, 'lookback_window_days'],
    [{ ...demo, lookback_window_days: 367 }, 'lookback_window_days'],
    [{ ...demo, lookback_window_days: 1.5 }, 'lookback_window_days'],
    [{ ...demo, event_types: ['a', 'a'] }, 'event_types'],
    [{ ...demo, event_types: [' a'] }, 'event_types[0]'],
    [{ ...demo, event_types: ['ana@example.com'] }, 'event_types[0]'],
    [{ ...demo, event_types: ['a\u0000b'] }, 'event_types[0]'],
    [{ ...demo, name: '' }, 'name'],
    [{ ...demo, is_default: 'yes' }, 'is_default'],
  ])('is refused with a field that fails: %j', async (payload, field) => {
    const { error } = (await save(payload)).json()
    expect(error).toMatchObject({ code: 'validation_error', status: 422 })
    expect(error.fields[0].field).toBe(field)
    expect(await told()).toEqual([])
  })

  it('of another profile cannot be told from one that does not exist, and is not changed', async () => {
    const { data } = (await save(demo)).json()
    const other = (await createWholeProfile(pool, { name: 'other' })).profileId
    const theirs = await bearer(pool, other, ['goals:write', 'analytics:read'])
    const answers = await Promise.all(
      [data.id, '3f0f2c2e-8d2b-4b46-9a52-0d3b0c8f2a11', 'nonsense'].map((id) =>
        get(`/goals/definitions/${id}`, theirs),
      ),
    )
    const bodies = answers.map((answer) => {
      const { request_id, ...error } = answer.json().error
      return error
    })
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
    expect((await post('/goals/definitions', { ...demo, name: 'Mine' }, theirs)).statusCode).toBe(201)
    expect((await get(`/goals/definitions/${data.id}`)).json().data).toEqual(data)
  })

  it('is written with goals:write and read with analytics:read', async () => {
    const reader = await bearer(pool, profileId, ['analytics:read'])
    const writer = await bearer(pool, profileId, ['goals:write'])
    expect((await post('/goals/definitions', demo, reader)).json().error.required_scopes).toEqual(['goals:write'])
    expect((await get('/goals', writer)).json().error.required_scopes).toEqual(['analytics:read'])
  })
})

describe('the lists', () => {
  it('show what a profile begins with and what was added, headline goals first', async () => {
    await save({ ...demo, is_default: false })
    const goals = (await get('/goals')).json().data
    expect(goals).toContainEqual({
      goal: 'payment_received',
      name: 'Payment received',
      revenue_type: 'cash',
      is_default: true,
    })
    expect(goals.at(-1).goal).toBe('demo_booked')
    const definitions = (await get('/goals/definitions')).json()
    expect(definitions.data.map((row: { conversion_key: string }) => row.conversion_key)).toEqual(
      goals.map((row: { goal: string }) => row.goal),
    )
    expect(definitions.pagination).toEqual({ has_next: false, cursor: null })
  })
})

describe('POST /goals', () => {
  it('still works, and says on every answer since when it should not be used and what to use', async () => {
    const created = await post('/goals', { name: 'Première démo (web)', revenue_type: 'cash' })
    expect(created.statusCode).toBe(201)
    expect(created.json().data).toMatchObject({
      conversion_key: 'premiere_demo_web',
      event_types: ['premiere_demo_web'],
    })
    const again = await post('/goals', { name: 'Premiere demo web' })
    expect(again.json().error).toMatchObject({ code: 'invalid_state', reason: 'duplicate_name' })
    const reader = await bearer(pool, profileId, ['analytics:read'])
    for (const answer of [created, again, await post('/goals', {}), await post('/goals', {}, reader)]) {
      expect(answer.headers).toMatchObject({
        deprecation: `@${Date.UTC(2026, 8, 5) / 1000}`,
        sunset: 'Fri, 04 Dec 2026 00:00:00 GMT',
        link: '</api/v1/goals/definitions>; rel="successor-version"',
      })
    }
    expect((await get('/goals')).headers.deprecation).toBeUndefined()
  })

  it('refuses a name that no key can be made of', async () => {
    expect((await post('/goals', { name: '予約 123' })).json().error).toMatchObject({ code: 'validation_error' })
  })
})
