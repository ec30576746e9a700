import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ids } from '../../../../domain/ids.ts'
import { levels, models } from '../../../../domain/models.ts'
import { openReadingApp } from '../reading-app.ts'
import { at, october, openBusiness } from './business.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
let business: Awaited<ReturnType<typeof openBusiness>>
beforeAll(async () => {
  api = await openReadingApp()
  business = await openBusiness(api)
})
afterAll(() => api.close())

interface Row {
  conversion_id: string
  outcome_event_id: string
  conversion_type: string
  occurred_at: string
  credit: number
  value: number | null
  credited_value: number
  touches: { credit: number; position: number }[]
  customer_profile_id?: string
  customer_name?: string | null
}
type Read = typeof business.read

async function everyPage(read: Read, query: string, from = ''): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = from; ; ) {
    const { body } = await read(`/campaigns/conversions?${query}${cursor && `&cursor=${cursor}`}`)
    rows.push(...body.data)
    if (!body.pagination.has_next) return rows
    cursor = body.pagination.cursor
  }
}

describe('GET /campaigns/conversions', () => {
  it('shows the conversions behind a campaign’s figure, newest first, with the touch that earned each and why', async () => {
    const { id, read, autumn, buyer, sale, lead } = business
    const { status, body } = await read(`/campaigns/conversions?${october}&campaign_id=${autumn.campaign}`)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ profile_id: id, date_from: '2026-10-01', date_to: '2026-10-31' })
    expect(body.pagination).toEqual({ has_next: false, cursor: null })
    expect(body.data.map((row: Row) => row.outcome_event_id)).toEqual([lead, sale])
    expect(body.data[1]).toEqual({
      conversion_id: ids.conversion(id, sale),
      outcome_event_id: sale,
      conversion_type: 'payment_received',
      revenue_type: 'cash',
      occurred_at: '2026-10-04T00:00:00.000Z',
      date: '2026-10-04',
      value: 100.01,
      currency: 'USD',
      credit: 1,
      credited_value: 100.01,
      is_first_payment: true,
      path_length: 2,
      touch_count: 2,
      touches: [
        {
          touch_id: expect.any(String),
          touch_time: '2026-10-03T00:00:00.000Z',
          position: 2,
          in_window: true,
          credit: 1,
          channel: 'paid_social',
          source: null,
          is_direct: false,
          is_synthetic: false,
          join_method: 'service_ad_id',
          campaign_id: autumn.campaign,
          campaign_name: 'Autumn',
          ad_set_id: autumn.adSet,
          ad_set_name: 'Set 2',
          ad_id: autumn.ad,
          ad_name: 'Ad 222',
        },
      ],
      customer_profile_id: buyer,
      customer_name: null,
    })
    expect(body.data[0]).toMatchObject({ conversion_type: 'lead_created', is_first_payment: null, value: 0 })
  })

  it.each(levels)('holds at level %s as many conversions and as much cash as the report counts', async (level) => {
    const { read } = business
    for (const model of models) {
      const { body } = await read(`/campaigns?${october}&level=${level}&model=${model}`)
      for (const row of body.data) {
        const rows = await everyPage(read, `${october}&${level}_id=${row.campaign_id}&model=${model}`)
        expect(rows).toHaveLength(row.attributed_outcome_count)
        const cash = rows.filter((one) => one.conversion_type === 'payment_received')
        expect(cash).toHaveLength(row.outcome_count)
        expect(cash.reduce((sum, one) => sum + one.credited_value, 0)).toBeCloseTo(row.outcome_value, 2)
        for (const one of rows)
          expect(one.touches.reduce((sum, touch) => sum + touch.credit, 0)).toBeCloseTo(one.credit, 9)
      }
    }
  })

  it('shows all conversions without an entity, uncredited ones with nothing earned', async () => {
    const { read, sale, lead, stranger } = business
    const rows = await everyPage(read, `${october}&model=linear`)
    expect(rows.map((row) => [row.outcome_event_id, row.credit])).toEqual([
      [stranger, 0],
      [lead, 1],
      [sale, 1],
    ])
    expect(rows[0]).toMatchObject({ touches: [], credited_value: 0, value: 7 })
    expect(rows[2]!.touches.map((touch) => touch.credit)).toEqual([0.5, 0.5])
  })

  it('can be of one type, and of the days asked for', async () => {
    const { read, sale, lead } = business
    const of = async (query: string) => (await everyPage(read, query)).map((row) => row.outcome_event_id)
    expect(await of(`${october}&conversion_type=lead_created`)).toEqual([lead])
    expect(await of(`${october}&conversion_type=unheard_of`)).toEqual([])
    expect(await of('date_from=2026-10-04&date_to=2026-10-04')).toEqual([sale])
    expect(await of('date_from=2026-11-01&date_to=2026-11-30')).toEqual([])
  })

  it('names the customer to those who may read persons, and to nobody else', async () => {
    const { id, read, reader, autumn, buyer } = business
    const path = `/campaigns/conversions?${october}&campaign_id=${autumn.campaign}`
    await api.pool.query(
      `INSERT INTO customers (id, profile_id, first_name, last_name) VALUES ($1, $2, 'Ana', 'Rojas')`,
      [buyer, id],
    )
    expect((await read(path)).body.data[0]).toMatchObject({ customer_profile_id: buyer, customer_name: 'Ana Rojas' })
    const withoutPersons = await reader(['campaigns:read'])
    const [row] = (await withoutPersons(path)).body.data
    expect(Object.keys(row)).not.toEqual(expect.arrayContaining(['customer_profile_id']))
    expect(JSON.stringify(row)).not.toContain(buyer)
    expect(JSON.stringify(row)).not.toContain('Ana')
    await api.pool.query(`UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1`, [id])
    const healthcare = await reader(['campaigns:read', 'customers:read'])
    const answer = await healthcare(path)
    await api.pool.query(`UPDATE profiles SET privacy_mode = 'standard' WHERE id = $1`, [id])
    expect(JSON.stringify(answer.body)).not.toContain(buyer)
  })

  it('logs whom it told of', async () => {
    const { id, read, reader, autumn } = business
    const path = `/campaigns/conversions?${october}&campaign_id=${autumn.campaign}`
    await read(path)
    await (await reader(['campaigns:read']))(path)
    const { rows } = await api.pool.query(
      `SELECT person_count FROM pii_access_log WHERE profile_id = $1 AND operation = 'listCampaignConversions'
       ORDER BY id DESC LIMIT 2`,
      [id],
    )
    expect(rows.map((row) => row.person_count).sort()).toEqual([0, 1])
  })

  it.each([
    ['limit=0', 'invalid_parameter'],
    ['limit=201', 'invalid_parameter'],
    ['limit=1.5', 'invalid_parameter'],
    ['campaign_id=12345', 'invalid_parameter'],
    [`campaign_id=${randomUUID()}&ad_id=${randomUUID()}`, 'invalid_parameter'],
    ['conversion_type=', 'invalid_parameter'],
    ['model=magic', 'invalid_parameter'],
    ['cursor=x', 'invalid_parameter'],
    ['date_from=2020-01-01', 'invalid_date_range'],
  ])('refuses %s with %s', async (query, code) => {
    expect(await business.read(`/campaigns/conversions?${october}&${query}`)).toMatchObject({
      status: 400,
      body: { error: { code } },
    })
  })

  it('shows nothing of another profile', async () => {
    const other = await api.profile()
    expect(await everyPage(other.read, `${october}&campaign_id=${business.autumn.campaign}`)).toEqual([])
    expect(await everyPage(other.read, october)).toEqual([])
  })
})

describe('pages of conversions', () => {
  it('show every conversion once, in order, while new ones come in', async () => {
    const { world, read } = await api.profile()
    const made: { outcome: string; at: number }[] = []
    const sell = async (time: number) => {
      const outcome = await world.outcome(randomUUID(), time)
      made.push({ outcome, at: time })
    }
    // Many at the same moment: the id decides, and no page may lose or repeat one.
    for (let i = 0; i < 6; i++) await sell(at('10T12:00:00'))
    for (let i = 0; i < 5; i++) await sell(at(`0${i + 1}T12:00:00`))
    await world.recompute()
    const before = new Set(made.map(({ outcome }) => outcome))
    const first = await read(`/campaigns/conversions?${october}&limit=3`)
    expect(first.body.data).toHaveLength(3)
    await sell(at('20T00:00:00'))
    await sell(at('02T00:00:00'))
    await world.recompute()
    const late = made.at(-1)!.outcome
    const rest = await everyPage(read, `${october}&limit=3`, first.body.pagination.cursor)
    const seen = [...first.body.data, ...rest].map((row: Row) => row.outcome_event_id)
    expect(new Set(seen).size).toBe(seen.length)
    expect(new Set(seen)).toEqual(new Set([...before, late]))
    const times = [...first.body.data, ...rest].map((row: Row) => row.occurred_at)
    expect(times).toEqual(times.toSorted().reverse())
  })

  it('end before a conversion whose credit is still to come, so that the next one tells of it', async () => {
    const { id, world, read } = await api.profile()
    const days = ['01', '02', '03', '04']
    const [, , third] = await Promise.all(days.map((day) => world.outcome(randomUUID(), at(`${day}T12:00:00`))))
    await world.recompute()
    const told = (rows: Row[]) => rows.map((row) => row.occurred_at.slice(8, 10))
    await api.warehouse.insert('credits', [
      { profile_id: id, conversion_id: ids.conversion(id, third!), version: `${2n ** 127n}`, is_deleted: 1 },
    ])
    const first = await read(`/campaigns/conversions?${october}`)
    expect(told(first.body.data)).toEqual(['04'])
    expect(first.body.pagination.has_next).toBe(true)
    const next = await read(`/campaigns/conversions?${october}&cursor=${first.body.pagination.cursor}`)
    expect(told(next.body.data)).toEqual(['02', '01'])
    expect(next.body.pagination.has_next).toBe(false)
  })

  it('hold fewer rows when paths are long', async () => {
    const { id, world, read } = await api.profile()
    await world.ad('111')
    const buyer = randomUUID()
    // 400 sessions, each a touch that shares the credit of three sales.
    await world.hit(buyer, at('01T00:00:00'), { ad: '111' })
    await api.warehouse.insert(
      'hits',
      Array.from({ length: 399 }, (_, i) => ({
        profile_id: id,
        subject_id: buyer,
        event_id: randomUUID(),
        event_type: 'page_view',
        event_time: at('01T00:00:00') + (i + 1) * 1_860_000,
        signature: '111',
        ad_ref: '111',
        version: '1',
      })),
    )
    for (let i = 0; i < 3; i++) await world.outcome(buyer, at('20T00:00:00') + i)
    await world.recompute()
    const { body } = await read(`/campaigns/conversions?${october}&model=linear`)
    expect(body.data).toHaveLength(2)
    expect(body.pagination.has_next).toBe(true)
    const rows = await everyPage(read, `${october}&model=linear`)
    expect(rows.map((row) => row.touches.length)).toEqual([400, 400, 400])
    expect(await everyPage(read, `${october}&limit=2`)).toHaveLength(3)
  })
})
