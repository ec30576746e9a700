import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SummaryEvent } from '../../../../domain/journey-summary.ts'
import { releaseUnit, reserveUnit } from '../../../../postgres/stores/ai-allowance.ts'
import { openReadingApp } from '../reading-app.ts'
import { peopleOf } from './known-people.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
/** What the writer does next, and what it was told. */
let write: () => Promise<string>
const told: (readonly SummaryEvent[])[] = []

beforeAll(async () => {
  const summaryWriter = {
    generator: 'test-model',
    write: (events: readonly SummaryEvent[]) => {
      told.push(events)
      return write()
    },
  }
  api = await openReadingApp({ summaryWriter })
})
afterAll(() => api.close())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)

async function shopper() {
  write = async () => 'A short story.'
  const profile = await api.profile()
  const people = peopleOf(api.pool, profile.world)
  const visitor = randomUUID()
  const { customer, subject } = await people.meet({
    email: 'ana.secret@shop.cl',
    phone: '+56912345678',
    external_customer_id: 'KEY-123',
    firstName: 'Anastasia',
    visitor,
  })
  await profile.world.hit(visitor, at('01T10:20:30'), { ad: '111' })
  await profile.world.outcome(subject, at('02T00:00:00'), { amount: 1_250 })
  const post = await api.caller('POST', profile.id, ['customers:read'])
  const { rows } = await api.pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profile.id])
  const workspace: string = rows[0].workspace_id
  const used = async () => {
    const { rows } = await api.pool.query('SELECT used FROM ai_days WHERE workspace_id = $1', [workspace])
    return rows[0]?.used ?? 0
  }
  const held = async () => {
    const { rows } = await api.pool.query('SELECT FROM ai_reservations WHERE workspace_id = $1', [workspace])
    return rows.length
  }
  const allow = (units: number) =>
    api.pool.query('UPDATE workspaces SET daily_ai_allowance = $2 WHERE id = $1', [workspace, units])
  const path = `/customers/${customer}/journey-summary`
  return { ...profile, ...people, customer, visitor, subject, post, path, workspace, used, held, allow }
}

describe('GET /customers/{id}/journey-summary', () => {
  it('answers null before anything was generated, and never calls a model', async () => {
    const { read, path, visitor } = await shopper()
    const before = told.length
    for (const id of [path, `/customers/${visitor}/journey-summary`, '/customers/nobody/journey-summary']) {
      expect((await read(id)).body.data).toEqual({ summary: null, cached: false })
    }
    expect(told).toHaveLength(before)
  })
})

describe('POST /customers/{id}/journey-summary', () => {
  it('generates, stores and replaces a summary, and draws a unit for each', async () => {
    const { read, post, path, used, held, visitor } = await shopper()
    const { status, body } = await post(path)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      summary: {
        text: 'A short story.',
        generated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        event_count: 2,
        generator: 'test-model',
      },
      cached: false,
    })
    expect((await read(path)).body.data).toEqual({ ...body.data, cached: true })
    write = async () => 'Another one.'
    await post(`/customers/${visitor}/journey-summary`)
    expect((await read(path)).body.data.summary.text).toBe('Another one.')
    expect([await used(), await held()]).toEqual([2, 0])
  })

  it('tells the writer types, channels, times and values of the first 100 events, and nothing of the person', async () => {
    const { post, path, world, visitor } = await shopper()
    for (let n = 0; n < 110; n++) await world.hit(visitor, at('03T00:00:00') + n * 1000)
    const { body } = await post(path)
    expect(body.data.summary.event_count).toBe(100)
    const events = told.at(-1)!
    expect(events).toHaveLength(100)
    expect(events[0]).toEqual({
      type: 'page_view',
      time: '2026-10-01T10:20Z',
      channel: 'paid_social',
      value: null,
      isSynthetic: false,
    })
    expect(events[1]).toMatchObject({ type: 'payment_received', value: '12.5 USD' })
    for (const word of ['secret', 'shop.cl', '5691', 'KEY-123', 'Anastasia', visitor]) {
      expect(JSON.stringify(events)).not.toContain(word)
    }
  })

  it('costs nothing for a customer without events, an unknown one, another profile’s, or no id', async () => {
    const { post, used, held } = await shopper()
    const other = await shopper()
    for (const id of [randomUUID(), other.customer, 'nobody']) {
      const { status, body } = await post(`/customers/${id}/journey-summary`)
      expect([status, body.data]).toEqual([200, { summary: null, cached: false }])
    }
    expect([await used(), await held()]).toEqual([0, 0])
  })

  it('spends nothing when the writer fails', async () => {
    const { post, path, read, used, held, allow } = await shopper()
    await allow(1)
    write = () => Promise.reject(new Error('ana.secret@shop.cl'))
    const { status, body } = await post(path)
    expect([status, body.error.code]).toEqual([502, 'provider_error'])
    expect(JSON.stringify(body)).not.toContain('secret')
    expect([await used(), await held()]).toEqual([0, 0])
    expect((await read(path)).body.data.summary).toBeNull()
    write = async () => 'Now.'
    expect((await post(path)).status).toBe(200)
  })

  it('answers 429 until the next midnight of UTC when the allowance is spent', async () => {
    const { post, path, allow, read } = await shopper()
    await allow(1)
    expect((await post(path)).status).toBe(200)
    const { status, body, headers } = await post(path)
    expect(status).toBe(429)
    expect(body.error).toMatchObject({ code: 'rate_limit_exceeded', reason: 'daily_ai_allowance' })
    const midnight = Math.floor(Date.now() / 86_400_000 + 1) * 86_400
    expect(Math.abs(Number(headers['retry-after']) - (midnight - Date.now() / 1000))).toBeLessThan(60)
    expect(Number(headers['x-ratelimit-reset'])).toBe(midnight)
    expect((await read(path)).body.data.cached).toBe(true)
  })

  it('never spends beyond the allowance, whatever comes at once', async () => {
    const { post, path, allow, used, held } = await shopper()
    await allow(3)
    const open = Promise.withResolvers<string>()
    write = () => open.promise
    const calls = Array.from({ length: 9 }, () => post(path))
    // Those who find nothing left are answered while the others still write.
    const answered: number[] = []
    for (const call of calls) void call.then(({ status }) => answered.push(status))
    await expect.poll(() => answered.length, { timeout: 20_000 }).toBe(6)
    expect(await held()).toBe(3)
    open.resolve('At last.')
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429])
    expect([await used(), await held()]).toEqual([3, 0])
  })

  it('frees a unit that a crashed call held', async () => {
    const { post, path, allow, workspace, used } = await shopper()
    await allow(1)
    const crashed = await reserveUnit(api.pool, workspace, new Date())
    expect(crashed.kind).toBe('reserved')
    expect((await post(path)).status).toBe(429)
    await api.pool.query(
      "UPDATE ai_reservations SET expires_at = now() - interval '1 second' WHERE workspace_id = $1",
      [workspace],
    )
    expect((await post(path)).status).toBe(200)
    expect(await used()).toBe(1)
    if (crashed.kind === 'reserved') await releaseUnit(api.pool, crashed.id)
    expect(await used()).toBe(1)
  })

  it('spends nothing where the unit was held for too long', async () => {
    const { post, path, workspace, used, read } = await shopper()
    write = async () => {
      await api.pool.query('DELETE FROM ai_reservations WHERE workspace_id = $1', [workspace])
      return 'Too late.'
    }
    expect((await post(path)).status).toBe(503)
    expect(await used()).toBe(0)
    expect((await read(path)).body.data.summary).toBeNull()
  })

  it('is forbidden on a healthcare profile, by its own mode and by its workspace’s mark', async () => {
    const one = await shopper()
    await api.pool.query("UPDATE profiles SET privacy_mode = 'platform_safe' WHERE id = $1", [one.id])
    const two = await shopper()
    await api.pool.query('UPDATE workspaces SET is_healthcare_agency = true WHERE id = $1', [two.workspace])
    for (const { id, path, used } of [one, two]) {
      const post = await api.caller('POST', id, ['customers:read'])
      const { status, body } = await post(path)
      expect([status, body.error.code]).toEqual([403, 'forbidden'])
      expect(await used()).toBe(0)
    }
  })

  it('needs customers:read', async () => {
    const { id, path } = await shopper()
    const { status, body } = await (await api.caller('POST', id, ['conversions:read']))(path)
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope'])
  })

  it('keeps nothing of a customer who is erased before, meanwhile or afterwards', async () => {
    const { post, path, read, erase, used, visitor } = await shopper()
    await post(path)
    await post(`/customers/${visitor}/journey-summary`)
    write = async () => {
      await erase({ type: 'email', value: 'ana.secret@shop.cl' })
      return 'Gone meanwhile.'
    }
    expect((await post(path)).body.data).toEqual({ summary: null, cached: false })
    expect((await read(path)).body.data).toEqual({ summary: null, cached: false })
    write = async () => 'Never.'
    expect((await post(path)).body.data.summary).toBeNull()
    expect(await used()).toBe(2)
  })
})

describe('a deployment without a model', () => {
  it('writes the summary itself and says so', async () => {
    const own = await openReadingApp()
    try {
      const { world, id } = await own.profile()
      const visitor = randomUUID()
      await world.hit(visitor, at('01T00:00:00'))
      const post = await own.caller('POST', id, ['customers:read'])
      const { body } = await post(`/customers/${visitor}/journey-summary`)
      expect(body.data.summary).toMatchObject({ generator: 'touchline', event_count: 1 })
      expect(body.data.summary.text).toContain('The journey has 1 event, on 2026-10-01')
    } finally {
      await own.close()
    }
  })
})
