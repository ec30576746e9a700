import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReadingApp } from '../reading-app.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

const first = Date.UTC(2026, 9, 1) / 86_400_000
const days = 'date_from=2026-10-01&date_to=2026-10-03'

describe('GET /campaigns/trend', () => {
  it('has one row an entity and day, zero where nothing was delivered, in the order asked for', async () => {
    const { id, world, read } = await api.profile()
    const one = await world.ad('1', { date: first, spend_minor: 150, impressions: 10, clicks: 1 })
    await world.ad('2', { date: first, spend_minor: 50, impressions: 5, clicks: 1 })
    await world.ad('1', { date: first + 2, spend_minor: 25, impressions: 2 })
    const other = await world.ad('3', { date: first + 40, campaign_external_id: 'c2', ad_set_external_id: 's2' })
    const { status, body } = await read(`/campaigns/trend?${days}&entity_ids=${other.campaign},${one.campaign}`)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ profile_id: id, date_from: '2026-10-01', date_to: '2026-10-03' })
    const nothing = { spend: 0, impressions: 0, clicks: 0 }
    expect(body.data).toEqual([
      { entity_id: other.campaign, date: '2026-10-01', ...nothing },
      { entity_id: other.campaign, date: '2026-10-02', ...nothing },
      { entity_id: other.campaign, date: '2026-10-03', ...nothing },
      { entity_id: one.campaign, date: '2026-10-01', spend: 2, impressions: 15, clicks: 2 },
      { entity_id: one.campaign, date: '2026-10-02', ...nothing },
      { entity_id: one.campaign, date: '2026-10-03', spend: 0.25, impressions: 2, clicks: 0 },
    ])
    const ads = await read(`/campaigns/trend?${days}&level=ad&entity_ids=${one.ad.toUpperCase()}`)
    expect(ads.body.data.map((row: { spend: number }) => row.spend)).toEqual([1.5, 0, 0.25])
  })

  it('adds up to the campaign report, in another currency as well', async () => {
    const { world, read } = await api.profile({ currency: 'EUR' })
    const rate = { base: 'USD', quote: 'EUR', date: '2026-09-28', minor_rate: '900000000000', version: '1' }
    await api.warehouse.insert('fx_rates', [rate])
    const { campaign } = await world.ad('1', { date: first, spend_minor: 333 })
    await world.ad('1', { date: first + 1, spend_minor: 335 })
    const trend = await read(`/campaigns/trend?${days}&entity_ids=${campaign}`)
    expect(trend.body.data.map((row: { spend: number }) => row.spend)).toEqual([3, 3.02, 0])
    expect((await read(`/campaigns?${days}`)).body.data).toMatchObject([{ spend: 6.02 }])
  })

  it('has no rows for an id that is not an entity of the profile at the level', async () => {
    const { world, read } = await api.profile()
    const { campaign } = await world.ad('1')
    const stranger = await api.profile()
    expect((await stranger.read(`/campaigns/trend?${days}&entity_ids=${campaign}`)).body.data).toEqual([])
    expect((await read(`/campaigns/trend?${days}&entity_ids=${randomUUID()}`)).body.data).toEqual([])
    expect((await read(`/campaigns/trend?${days}&level=ad&entity_ids=${campaign}`)).body.data).toEqual([])
  })

  it('takes ten different entities and a whole year', async () => {
    const { world, read } = await api.profile()
    const { campaign } = await world.ad('1')
    const list = [...Array.from({ length: 9 }, () => randomUUID()), campaign, campaign].join()
    const { body } = await read(`/campaigns/trend?date_from=2026-01-01&date_to=2026-12-31&entity_ids=${list}`)
    expect(body.data).toHaveLength(365)
  })

  it.each([
    ['', 'invalid_parameter'],
    ['&entity_ids=', 'invalid_parameter'],
    ['&entity_ids=120210', 'invalid_parameter'],
    [`&entity_ids=${Array.from({ length: 11 }, () => randomUUID()).join()}`, 'invalid_parameter'],
    [`&entity_ids=${randomUUID()}&level=x`, 'invalid_parameter'],
    [`&entity_ids=${randomUUID()}&date_to=2026-09-01`, 'invalid_date_range'],
  ])('refuses %s', async (query, code) => {
    const { read } = await api.profile()
    expect(await read(`/campaigns/trend?${days}${query}`)).toMatchObject({ status: 400, body: { error: { code } } })
  })
})
