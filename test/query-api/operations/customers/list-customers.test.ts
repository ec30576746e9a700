import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Warehouse } from '../../../../clickhouse/client.ts'
import { ids, uuidv5 } from '../../../../domain/ids.ts'
import { readList } from '../../../../query-api/operations/customers/read-list.ts'
import { openReadingApp } from '../reading-app.ts'
import { peopleOf } from './known-people.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
let empty: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  api = await openReadingApp()
  empty = await open()
})
afterAll(() => api.close())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)
const october = 'date_from=2026-10-01&date_to=2026-10-31'

async function open(options: { timezone?: string } = {}) {
  const profile = await api.profile(options)
  const list = async (query = `goal=payment_received&${october}`) => profile.read(`/customers?${query}`)
  return { ...profile, list, ...peopleOf(api.pool, profile.world) }
}

describe('GET /customers', () => {
  it('tells all of a conversion and its customer', async () => {
    const { world, list, meet, id } = await open()
    const phone = randomUUID()
    const { customer, subject } = await meet({
      email: 'ana@shop.cl',
      firstName: 'Ana',
      lastName: 'Peña',
      visitor: phone,
    })
    await world.ad('111')
    await world.hit(phone, at('01T00:00:00'), { ad: '111' })
    await world.hit(phone, at('02T00:00:00'))
    const payment = await world.outcome(subject, at('03T12:00:00'), { amount: 1_234, country: 'CL', device: 'mobile' })
    await world.outcome(subject, at('04T12:00:00'), { type: 'lead_created', amount: 900 })
    await world.recompute()
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          conversion_id: ids.conversion(id, payment),
          customer_profile_id: customer,
          name: 'Ana Peña',
          email: 'ana@shop.cl',
          country: 'CL',
          device: 'mobile',
          channel: 'direct',
          source: null,
          revenue: 12.34,
          revenue_type: 'cash',
          conversion_time: '2026-10-03T12:00:00.000Z',
          time_to_complete_seconds: 2.5 * 86_400,
          touch_count: 1,
          touch_channels: ['paid_social', 'direct'],
          conversion_count: 2,
          total_revenue: 12.34,
        },
      ],
      pagination: { has_next: false, cursor: null },
      meta: { date_from: '2026-10-01', date_to: '2026-10-31', profile_id: id },
    })
  })

  it('shows an anonymous converter without a name, by an id that the journey takes', async () => {
    const { world, list, read } = await open()
    const visitor = randomUUID()
    await world.hit(visitor, at('01T00:00:00'))
    await world.outcome(visitor, at('02T00:00:00'), { source: 'tracker' })
    await world.recompute()
    const [row] = (await list()).body.data
    expect(row).toMatchObject({ name: null, email: null, country: null, device: null, customer_profile_id: visitor })
    const journey = await read(`/customers/${row.customer_profile_id}/journey`)
    expect(journey.body.data.total_count).toBe(2)
  })

  it('knows no channel, source or duration of a conversion without a touch', async () => {
    const { world, list } = await open()
    await world.outcome(randomUUID(), at('02T00:00:00'))
    await world.recompute()
    expect((await list()).body.data).toMatchObject([
      { channel: null, source: null, time_to_complete_seconds: null, touch_count: 0, touch_channels: [] },
    ])
  })

  it('counts a life across a merge, and takes refunds off', async () => {
    const { world, list, meet } = await open()
    const mail = await meet({ email: 'b@shop.cl', firstName: 'Berta', at: at('01T00:00:00') })
    const key = await meet({ external_customer_id: 'C-1', at: at('02T00:00:00') })
    await world.outcome(mail.subject, at('05T00:00:00'), { amount: 5_000 })
    const refunded = await world.outcome(key.subject, at('06T00:00:00'), { amount: 3_000, refunded: 1_000 })
    await world.act(refunded, 'refund', { refunded: 500 })
    await world.recompute()
    expect((await list()).body.data).toMatchObject([
      { name: null, conversion_count: 1, revenue: 15, total_revenue: 15 },
      { name: 'Berta', conversion_count: 1, total_revenue: 50 },
    ])
    const { customer } = await meet({ email: 'b@shop.cl', external_customer_id: 'C-1', at: at('07T00:00:00') })
    await world.recompute()
    const { body } = await list()
    expect(body.data).toHaveLength(2)
    for (const row of body.data) {
      expect(row).toMatchObject({
        name: 'Berta',
        email: 'b@shop.cl',
        customer_profile_id: customer,
        conversion_count: 2,
        total_revenue: 65,
      })
    }
  })

  it('refuses a goal that the profile does not have, and names those it has', async () => {
    const { list } = empty
    const { status, body } = await list(`goal=world_peace&${october}`)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'invalid_parameter', goals: expect.arrayContaining(['lead_created']) })
    expect(body.error.message).toContain('payment_received')
    expect((await list(october)).body.error.code).toBe('invalid_parameter')
  })

  it('keeps to the goal that was asked for', async () => {
    const { world, list } = await open()
    await world.outcome(randomUUID(), at('02T00:00:00'), { type: 'lead_created', amount: 700 })
    await world.recompute()
    expect((await list()).body.data).toEqual([])
    expect((await list(`goal=lead_created&${october}`)).body.data).toMatchObject([
      { revenue_type: 'pipeline', revenue: 7, conversion_count: 1, total_revenue: 0 },
    ])
  })

  it('takes days in the time zone of the profile, both of them included', async () => {
    const { world, list } = await open({ timezone: 'America/Santiago' })
    // Midnight of 2 October in Santiago is 03:00 UTC.
    for (const time of ['02T02:59:59', '02T03:00:00', '03T02:59:59', '03T03:00:00']) {
      await world.outcome(randomUUID(), at(time))
    }
    await world.recompute()
    const { body } = await list('goal=payment_received&date_from=2026-10-02&date_to=2026-10-02')
    expect(body.data.map((row: { conversion_time: string }) => row.conversion_time)).toEqual([
      '2026-10-03T02:59:59.000Z',
      '2026-10-02T03:00:00.000Z',
    ])
  })

  it.each([
    ['date_from=2026-10-01', 'invalid_date_range'],
    ['date_from=2026-10-02&date_to=2026-10-01', 'invalid_date_range'],
    ['date_from=2026-02-30&date_to=2026-03-01', 'invalid_date_range'],
    ['date_from=2025-01-01&date_to=2026-10-01', 'invalid_date_range'],
    [`${october}&limit=0`, 'invalid_parameter'],
    [`${october}&limit=101`, 'invalid_parameter'],
    [`${october}&cursor_time=2026-10-01T00:00:00.000Z`, 'invalid_parameter'],
    [`${october}&cursor_id=7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57`, 'invalid_parameter'],
    [`${october}&cursor_time=yesterday&cursor_id=7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57`, 'invalid_parameter'],
    [`${october}&cursor_time=2026-10-01T00:00:00.000Z&cursor_id=7`, 'invalid_parameter'],
    [`${october}&search=${'x'.repeat(201)}`, 'invalid_parameter'],
  ])('refuses %s as %s', async (query, code) => {
    const { status, body } = await empty.list(`goal=payment_received&${query}`)
    expect(status).toBe(400)
    expect(body.error.code).toBe(code)
  })

  it('needs customers:read', async () => {
    const { status, body } = await (await empty.reader(['conversions:read', 'campaigns:read']))(
      `/customers?goal=x&${october}`,
    )
    expect(status).toBe(403)
    expect(body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['customers:read'] })
  })

  it('shows nothing of another profile', async () => {
    const { world } = await open()
    await world.outcome(randomUUID(), at('02T00:00:00'))
    await world.recompute()
    const other = await open()
    expect((await other.list()).body.data).toEqual([])
  })

  it('forgets the place of a conversion that moved to another time, goal or nowhere', async () => {
    const { world, list, id } = await open()
    const subject = randomUUID()
    const [moved, changed, uncounted] = [randomUUID(), randomUUID(), randomUUID()]
    for (const outcome of [moved, changed, uncounted]) await world.outcome(subject, at('02T00:00:00'), { id: outcome })
    await world.recompute()
    await world.outcome(subject, at('09T00:00:00'), { id: moved })
    await world.outcome(subject, at('02T00:00:00'), { id: changed, type: 'lead_created' })
    await world.outcome(subject, at('02T00:00:00'), { id: uncounted, type: 'nothing_known' })
    await world.recompute()
    const { body } = await list()
    expect(body.data).toMatchObject([
      { conversion_id: ids.conversion(id, moved), conversion_time: '2026-10-09T00:00:00.000Z', conversion_count: 2 },
    ])
    expect((await list(`goal=lead_created&${october}`)).body.data).toHaveLength(1)
  })
})

describe('paging through GET /customers', () => {
  it('shows every conversion once, newest first, whatever is written meanwhile', async () => {
    const { world, list } = await open()
    const times = ['01', '02', '02', '02', '05', '05', '06'].map((day) => at(`${day}T00:00:00`))
    const subject = randomUUID()
    const outcomes = await Promise.all(times.map((time) => world.outcome(subject, time)))
    await world.recompute()
    const seen: { conversion_id: string; conversion_time: string }[] = []
    let query = `goal=payment_received&${october}&limit=3`
    for (let pages = 0; pages < 20; pages++) {
      const { body } = await list(query)
      seen.push(...body.data)
      expect(body.pagination.has_next).toBe(body.pagination.cursor !== null)
      if (!body.pagination.has_next) break
      const [time, cursorId] = body.pagination.cursor.split('|')
      query = `goal=payment_received&${october}&limit=3&cursor_time=${time}&cursor_id=${cursorId}`
      // Newer than everything that was shown, a merge of the customer, and a refund: none of them moves a place.
      await world.outcome(randomUUID(), at('30T00:00:00') + pages)
      await world.belongs(subject, randomUUID())
      await world.act(outcomes[0]!, 'refund', { refunded: pages + 1 })
      await world.recompute()
    }
    const shown = seen.map((row) => row.conversion_id)
    expect(new Set(shown).size).toBe(7)
    expect(shown).toHaveLength(7)
    const order = seen.map((row) => row.conversion_time)
    expect(order).toEqual(order.toSorted().reverse())
  })

  it('passes over places that a run left behind when it ended before its credit was written', async () => {
    const { world, list, id } = await open()
    const subject = randomUUID()
    const times = Array.from({ length: 7 }, (_, n) => at('10T00:00:00') - n * 60_000)
    for (const time of times) await world.outcome(subject, time)
    await world.recompute()
    const stood = (await list()).body.data
    const left = stood.flatMap((row: { conversion_id: string; conversion_time: string }) => {
      const time = Date.parse(row.conversion_time)
      const place = { profile_id: id, conversion_type: 'payment_received', conversion_id: row.conversion_id }
      const [overtaken, newest] = ['1', String(2n ** 100n)]
      return [
        { ...place, customer_id: subject, newest_first: -time - 3_600_000, day: '2026-10-10', version: newest },
        { ...place, customer_id: randomUUID(), newest_first: -time, day: '2026-10-10', version: overtaken },
        { ...place, customer_id: subject, newest_first: -time, day: '2026-10-10', version: overtaken },
      ]
    })
    await api.warehouse.insert('goal_conversions', left)
    const seen = []
    let cursor = ''
    for (const has_next of [true, true, true, false]) {
      const { body } = await list(`goal=payment_received&${october}&limit=2${cursor}`)
      seen.push(...body.data)
      expect(body.pagination.has_next).toBe(has_next)
      const [time, cursorId] = (body.pagination.cursor ?? '').split('|')
      cursor = `&cursor_time=${time}&cursor_id=${cursorId}`
    }
    expect(seen).toEqual(stood)
  })

  it('asks little of a goal that has lost thousands of conversions which no merge has taken away yet', async () => {
    const { world, list, id } = await open()
    const subject = randomUUID()
    const kept = await world.outcome(subject, at('01T00:00:00'))
    await world.recompute()
    const lost = Array.from({ length: 3_000 }, (_, n) => ({
      profile_id: id,
      conversion_type: 'payment_received',
      newest_first: -at('20T00:00:00') + n,
      conversion_id: randomUUID(),
      customer_id: randomUUID(),
      day: '2026-10-20',
    }))
    for (const is_deleted of [0, 1])
      await api.warehouse.insert(
        'goal_conversions',
        lost.map((row) => ({ ...row, version: String(is_deleted + 1), is_deleted })),
      )
    let asked = 0
    const clickhouse: Warehouse = {
      ...api.warehouse,
      run: (query, params) => {
        asked++
        return api.warehouse.run(query, params)
      },
    }
    const wanted = { profile: id, goal: 'payment_received', from: '2026-10-01', to: '2026-10-31', behind: null }
    const listed = await readList({ postgres: api.pool, clickhouse }, { ...wanted, limit: 11 }, null)
    expect(listed.map((row) => row.conversion_id)).toEqual([ids.conversion(id, kept)])
    expect(asked).toBeLessThanOrEqual(4)
    expect((await list()).body.data).toHaveLength(1)
  })
})

describe('GET /customers with search', () => {
  it('finds by parts of the name in any order, without accents or case, and by e-mail', async () => {
    const { world, list, meet } = await open()
    const people = [
      { email: 'maria.jose@shop.cl', firstName: 'María José', lastName: 'Peña' },
      { email: 'pedro@shop.cl', firstName: 'Pedro', lastName: 'Marín' },
      { email: '100%_sure@shop.cl', firstName: 'Iñigo', lastName: 'O_Neill' },
    ]
    for (const [n, person] of people.entries()) {
      const { subject } = await meet(person)
      await world.outcome(subject, at('02T00:00:00') + n)
    }
    await world.outcome(randomUUID(), at('03T00:00:00'))
    await world.recompute()
    const found = async (search: string) => {
      const { body } = await list(`goal=payment_received&${october}&search=${encodeURIComponent(search)}`)
      return body.data.map((row: { name: string }) => row.name.split(' ')[0]).sort()
    }
    expect(await found('maria')).toEqual(['María'])
    expect(await found('PEÑA jose')).toEqual(['María'])
    expect(await found('mar')).toEqual(['María', 'Pedro'])
    expect(await found('shop.cl')).toEqual(['Iñigo', 'María', 'Pedro'])
    expect(await found('PEDRO@SHOP.CL')).toEqual(['Pedro'])
    expect(await found('0%_')).toEqual(['Iñigo'])
    expect(await found('%')).toEqual([])
    expect(await found('o_n')).toEqual(['Iñigo'])
    expect(await found("'; DROP TABLE customers; --")).toEqual([])
    expect(await found('nobody')).toEqual([])
    expect(await found('ma')).toEqual(['María', 'Pedro'])
  })

  it.each([
    ['hundreds', 350],
    ['thousands', 3_000],
    ['more than one parameter holds', 3_050],
  ])('finds a name that %s have among the newest conversions, page by page', async (_, count) => {
    const { id, list } = await open()
    const customer = (n: number) => uuidv5(id, `maria ${n}`)
    await api.pool.query(
      "INSERT INTO customers (id, profile_id, first_name) SELECT id, $1, 'Maria' FROM unnest($2::uuid[]) AS id",
      [id, Array.from({ length: count }, (_, n) => customer(1_000 + n))],
    )
    // Behind more conversions of others than are read at first.
    const rows = Array.from({ length: 1_200 }, (_, n) => ({
      conversion_id: randomUUID(),
      customer_id: n < 1_100 || n % 4 > 0 ? randomUUID() : customer(n),
      time: at('20T00:00:00') - n * 60_000,
    }))
    const day = (time: number) => new Date(time).toISOString().slice(0, 10)
    const shared = { profile_id: id, conversion_type: 'payment_received', version: '1' }
    await api.warehouse.insert(
      'goal_conversions',
      rows.map(({ time, ...row }) => ({ ...shared, ...row, newest_first: -time, day: day(time) })),
    )
    await api.warehouse.insert(
      'customer_conversions',
      rows.map(({ conversion_id, customer_id }) => ({ profile_id: id, conversion_id, customer_id })),
    )
    await api.warehouse.insert(
      'credits',
      rows.map(({ time, ...row }) => ({
        ...{ ...shared, ...row, revenue_type: 'cash', day: day(time) },
        occurred_at: new Date(time).toISOString().replace('T', ' ').replace('Z', ''),
      })),
    )
    const query = `goal=payment_received&${october}&search=maria&limit=20`
    const first = (await list(query)).body
    expect(first.pagination.has_next).toBe(true)
    const [time, cursorId] = first.pagination.cursor.split('|')
    const second = (await list(`${query}&cursor_time=${time}&cursor_id=${cursorId}`)).body
    expect(second.pagination.has_next).toBe(false)
    const shown = [...first.data, ...second.data].map((row: { customer_profile_id: string }) => row.customer_profile_id)
    expect(shown).toEqual(Array.from({ length: 25 }, (_, n) => customer(1_100 + 4 * n)))
  })
})
