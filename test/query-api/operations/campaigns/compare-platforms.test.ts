import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { levels, models } from '../../../../domain/models.ts'
import { openReadingApp } from '../reading-app.ts'
import { at, october } from './business.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
let business: Awaited<ReturnType<typeof openBusiness>>
beforeAll(async () => {
  api = await openReadingApp()
  business = await openBusiness()
})
afterAll(() => api.close())

const day = Date.UTC(2026, 9, 1) / 86_400_000

/** Meta claims more than it earned, Google reported no conversions, TikTok has clicks but no delivery. */
async function openBusiness() {
  const profile = await api.profile()
  const { world } = profile
  const meta = { platform: 'facebook', campaign_external_id: 'm', campaign_name: 'Meta' }
  const one = await world.ad('m1', {
    ...meta,
    ad_set_external_id: 'ms1',
    spend_minor: 10_000,
    platform_conversions: 3,
    platform_conversion_value_minor: 40_005,
  })
  const two = await world.ad('m2', {
    ...meta,
    ad_set_external_id: 'ms2',
    date: day + 4,
    spend_minor: 5_000,
    platform_conversions: 0.1,
    platform_conversion_value_minor: 0,
  })
  const google = await world.ad('g1', {
    platform: 'google',
    campaign_external_id: 'g',
    campaign_name: 'Google',
    ad_set_external_id: 'gs',
    spend_minor: 2_000,
  })
  const both = randomUUID()
  await world.hit(both, at('02T00:00:00'), { ad: 'm1' })
  await world.hit(both, at('03T00:00:00'), { ad: 'm2' })
  await world.outcome(both, at('04T00:00:00'), { amount: 10_001, refunded: 1 })
  await world.outcome(both, at('05T00:00:00'), { type: 'lead_created', amount: 0 })
  const named = randomUUID()
  await world.hit(named, at('03T00:00:00'), { utm: { campaign: 'Meta' }, channel: 'email', source: 'newsletter' })
  await world.outcome(named, at('04T00:00:00'), { amount: 500 })
  const paid = randomUUID()
  await world.hit(paid, at('02T00:00:00'), { signature: 'gclid', channel: 'paid_search', source: 'google' })
  await world.hit(paid, at('03T00:00:00'), { signature: 'ttclid', channel: 'paid_social', source: 'tiktok' })
  await world.outcome(paid, at('04T00:00:00'), { amount: 3_000 })
  const organic = randomUUID()
  await world.hit(organic, at('03T00:00:00'), { signature: 'x', channel: 'organic_social', source: 'facebook' })
  await world.outcome(organic, at('04T00:00:00'), { amount: 9_999 })
  await world.recompute()
  return { ...profile, one, two, google }
}

const path = `/campaigns/platform-comparison?${october}`

describe('GET /campaigns/platform-comparison', () => {
  it('holds each platform’s claim against what was credited, exactly', async () => {
    const { status, body } = await business.read(path)
    expect(status).toBe(200)
    expect(body.meta).toEqual({
      profile_id: business.id,
      date_from: '2026-10-01',
      date_to: '2026-10-31',
      row_count: 2,
    })
    const [meta, google, tiktok] = body.data.platforms
    expect(meta).toEqual({
      platform: 'meta',
      spend: 150,
      platform_conversions: 3.1,
      platform_conversion_value: '400.05',
      atribu_conversions: 3,
      atribu_cash_conversions: 2,
      atribu_cash_revenue: '105.00',
      conversion_gap: -0.1,
      conversion_gap_pct: -10 / 3.1,
      value_gap: '-295.05',
      platform_roas: 400.05 / 150,
      atribu_roas: 105 / 150,
      reported_basis: 'omni_purchase',
      reported_basis_description: expect.stringContaining('Purchases'),
      has_delivery: true,
      delivery_through: '2026-10-05',
      unassigned_conversions: 0,
      unassigned_cash_revenue: '0.00',
    })
    expect(google).toMatchObject({
      platform: 'google',
      spend: 20,
      platform_conversions: null,
      platform_conversion_value: null,
      atribu_conversions: 0,
      atribu_cash_revenue: '0.00',
      conversion_gap: null,
      conversion_gap_pct: null,
      value_gap: null,
      platform_roas: null,
      atribu_roas: 0,
      has_delivery: true,
      delivery_through: '2026-10-01',
    })
    expect(tiktok).toMatchObject({
      platform: 'tiktok',
      spend: 0,
      atribu_conversions: 0,
      atribu_roas: null,
      has_delivery: false,
      delivery_through: null,
      unassigned_conversions: 1,
      unassigned_cash_revenue: '30.00',
    })
    expect(body.data.platforms).toHaveLength(3)
  })

  it('has a row an entity at the level, with the same figures', async () => {
    const { one, two, google, read } = business
    const rows = async (level: string) => (await read(`${path}&level=${level}`)).body.data.rows
    expect(await rows('campaign')).toMatchObject([
      {
        campaign_id: one.campaign,
        campaign_name: 'Meta',
        platform: 'meta',
        external_id: 'm',
        platform_conversions: 3.1,
      },
      { campaign_id: google.campaign, campaign_name: 'Google', entity_level: 'campaign', platform_conversions: null },
    ])
    expect(await rows('ad')).toMatchObject([
      { campaign_id: one.ad, entity_level: 'ad', platform_conversions: 3, atribu_conversions: 0, value_gap: '-400.05' },
      { campaign_id: two.ad, platform_conversions: 0.1, atribu_conversions: 2, atribu_cash_revenue: '100.00' },
      { campaign_id: google.ad },
    ])
  })

  it('adds up: rows to their platform under single-credit models, credit and the unassigned to no more than all', async () => {
    for (const level of levels) {
      for (const model of models) {
        const { data } = (await business.read(`${path}&level=${level}&model=${model}`)).body
        for (const total of data.platforms) {
          const rows = data.rows.filter((row: { platform: string }) => row.platform === total.platform)
          const sum = (key: string) =>
            rows.reduce((all: number, row: Record<string, number>) => all + Number(row[key]), 0)
          expect(sum('spend')).toBeCloseTo(total.spend, 6)
          expect(sum('atribu_cash_revenue')).toBeCloseTo(Number(total.atribu_cash_revenue), 1)
          if (['last_touch', 'first_touch', 'last_non_direct'].includes(model))
            expect(sum('atribu_conversions')).toBe(total.atribu_conversions)
          else expect(sum('atribu_conversions')).toBeGreaterThanOrEqual(total.atribu_conversions)
        }
      }
    }
  })

  it('counts a conversion that two ads of a platform share once in its total', async () => {
    const { data } = (await business.read(`${path}&level=ad&model=linear`)).body
    expect(data.rows.map((row: { atribu_conversions: number }) => row.atribu_conversions)).toEqual([2, 2, 0])
    expect(data.platforms[0]).toMatchObject({ platform: 'meta', atribu_conversions: 2, atribu_cash_revenue: '100.00' })
  })

  it('shows what paid clicks earned that named no entity of the level', async () => {
    const of = async (query: string) =>
      Object.fromEntries(
        (await business.read(`${path}${query}`)).body.data.platforms.map(
          (total: { platform: string; unassigned_conversions: number; unassigned_cash_revenue: string }) => [
            total.platform,
            [total.unassigned_conversions, total.unassigned_cash_revenue],
          ],
        ),
      )
    expect(await of('')).toEqual({ meta: [0, '0.00'], google: [0, '0.00'], tiktok: [1, '30.00'] })
    expect(await of('&model=first_touch')).toEqual({ meta: [0, '0.00'], google: [1, '30.00'] })
    expect(await of('&model=linear')).toEqual({ meta: [0, '0.00'], google: [1, '15.00'], tiktok: [1, '15.00'] })
    // A click that names a campaign names no ad: at this level it is the platform's, and nobody's in particular.
    expect(await of('&level=ad')).toEqual({ meta: [1, '5.00'], google: [0, '0.00'], tiktok: [1, '30.00'] })
    expect(await of('&level=ad&model=linear')).toMatchObject({ meta: [1, '5.00'], tiktok: [1, '15.00'] })
  })

  it('shows an exact value in the reporting currency', async () => {
    const { world, read } = await api.profile({ currency: 'CLP' })
    await api.warehouse.insert('fx_rates', [
      { base: 'USD', quote: 'CLP', date: '2026-10-01', minor_rate: '9500000000000', version: '1' },
    ])
    await world.ad('1', { spend_minor: 100, platform_conversions: 1, platform_conversion_value_minor: 9_007_199_254 })
    const { platforms } = (await read(path)).body.data
    expect(platforms).toMatchObject([
      { platform_conversion_value: '85568392913', value_gap: '-85568392913', spend: 950 },
    ])
  })

  it('works nothing out of a spend of which a part has no exchange rate', async () => {
    const { world, read } = await api.profile({ currency: 'CLP' })
    await api.warehouse.insert('fx_rates', [
      { base: 'USD', quote: 'CLP', date: '2026-10-01', minor_rate: '9500000000000', version: '1' },
    ])
    const claim = { currency: 'USD', spend_minor: 100, platform_conversions: 1, platform_conversion_value_minor: 200 }
    await world.ad('1', { ...claim, date: day })
    await world.ad('1', { ...claim, date: day + 20 })
    const figures = async (range: string) => {
      const { platforms, rows } = (await read(`/campaigns/platform-comparison?${range}`)).body.data
      const of = ({ spend, platform_roas, atribu_roas }: Record<string, unknown>) => [spend, platform_roas, atribu_roas]
      return [of(platforms[0]), of(rows[0])]
    }
    expect(await figures('date_from=2026-10-01&date_to=2026-10-08')).toEqual([
      [950, 2, 0],
      [950, 2, 0],
    ])
    expect(await figures(october)).toEqual([
      [950, null, null],
      [950, null, null],
    ])
  })

  it('takes a spend of nothing for nothing, in a currency without a rate as well', async () => {
    const { world, read } = await api.profile()
    await world.ad('1', { spend_minor: 1_000, platform_conversions: 1, platform_conversion_value_minor: 3_000 })
    await world.ad('1', { spend_minor: 0, currency: 'XOF', date: day + 1 })
    const { platforms, rows } = (await read(path)).body.data
    expect([platforms[0].platform_roas, rows[0].platform_roas]).toEqual([3, 3])
    expect([platforms[0].atribu_roas, rows[0].atribu_roas]).toEqual([0, 0])
  })

  it('tells no value of claims of which a part has no exchange rate', async () => {
    const { world, read } = await api.profile()
    const claim = { spend_minor: 0, platform_conversions: 1, currency: 'XOF', date: day + 1 }
    await world.ad('1', { spend_minor: 1_000, platform_conversions: 1, platform_conversion_value_minor: 10_000 })
    const figures = async () => {
      const { platforms, rows } = (await read(path)).body.data
      return [platforms[0], rows[0]].map(({ platform_conversion_value, value_gap, platform_roas }) => [
        platform_conversion_value,
        value_gap,
        platform_roas,
      ])
    }
    const known = ['100.00', '-100.00', 10]
    for (const none of [null, 0]) {
      await world.ad('1', { ...claim, platform_conversion_value_minor: none })
      expect(await figures()).toEqual([known, known])
    }
    await world.ad('1', { ...claim, platform_conversion_value_minor: 900_000 })
    const unknown = [null, null, null]
    expect(await figures()).toEqual([unknown, unknown])
  })

  it('is empty for a profile without ads, and shows nothing of another', async () => {
    const { read } = await api.profile()
    expect((await read(path)).body.data).toEqual({ platforms: [], rows: [] })
  })

  it.each([
    ['date_from=2025-10-01&date_to=2026-10-02', 'invalid_date_range'],
    ['date_from=2026-10-01', 'invalid_date_range'],
    [`${october}&level=x`, 'invalid_parameter'],
    [`${october}&model=x`, 'invalid_parameter'],
  ])('refuses %s', async (query, code) => {
    expect(await business.read(`/campaigns/platform-comparison?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code } },
    })
  })

  it('takes 366 days', async () => {
    const { status } = await business.read('/campaigns/platform-comparison?date_from=2025-10-01&date_to=2026-10-01')
    expect(status).toBe(200)
  })
})
