import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { models } from '../../../../domain/models.ts'
import { openReadingApp } from '../reading-app.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)
const october = 'date_from=2026-10-01&date_to=2026-10-31'

/** Two campaigns: one opens the journey, the other closes it. */
async function business() {
  const profile = await api.profile()
  const { world } = profile
  const spring = await world.ad('111', {
    spend_minor: 5_000,
    impressions: 1_000,
    clicks: 20,
    reach: 900,
    status: 'ACTIVE',
  })
  const autumn = await world.ad('222', {
    spend_minor: 2_500,
    campaign_external_id: 'c2',
    campaign_name: 'Autumn',
    ad_set_external_id: 's2',
    ad_set_name: 'Set 2',
  })
  const buyer = randomUUID()
  await world.hit(buyer, at('02T00:00:00'), { ad: '111' })
  await world.hit(buyer, at('03T00:00:00'), { ad: '222' })
  await world.outcome(buyer, at('04T00:00:00'), { amount: 10_001 })
  await world.outcome(buyer, at('05T00:00:00'), { type: 'lead_created', amount: 0 })
  await world.outcome(randomUUID(), at('06T00:00:00'), { amount: 700 })
  await world.recompute()
  return { ...profile, spring, autumn }
}

describe('GET /campaigns', () => {
  it('reports what each campaign cost and earned, ranked by credited cash', async () => {
    const { id, read, spring, autumn } = await business()
    const { status, body } = await read(`/campaigns?${october}`)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ profile_id: id, date_from: '2026-10-01', date_to: '2026-10-31' })
    expect(body.data).toEqual([
      {
        campaign_id: autumn.campaign,
        campaign_name: 'Autumn',
        spend: 25,
        outcome_count: 1,
        outcome_count_first_payment: 1,
        outcome_value: 100.01,
        roas: 100.01 / 25,
        cac_first_payment: 25,
        attributed_outcome_count: 2,
        attributed_outcomes_by_type: { payment_received: 1, lead_created: 1 },
      },
      {
        campaign_id: spring.campaign,
        campaign_name: 'Campaign 1',
        spend: 50,
        outcome_count: 0,
        outcome_count_first_payment: 0,
        outcome_value: 0,
        roas: 0,
        cac_first_payment: null,
        attributed_outcome_count: 0,
        attributed_outcomes_by_type: {},
      },
    ])
  })

  it('counts a conversion under every entity that shares its credit, and splits only the value', async () => {
    const { read } = await business()
    const { body } = await read(`/campaigns?${october}&model=linear`)
    expect(body.data.map((row: { outcome_count: number }) => row.outcome_count)).toEqual([1, 1])
    const values = body.data.map((row: { outcome_value: number }) => row.outcome_value)
    expect(values).toEqual([50.01, 50.01])
  })

  it.each(['campaign', 'ad_set', 'ad'])('adds delivery figures and parents at level %s', async (level) => {
    const { read, spring } = await business()
    const { body } = await read(`/campaigns?${october}&level=${level}&model=first_touch`)
    expect(body.data[0]).toMatchObject({
      campaign_id: { campaign: spring.campaign, ad_set: spring.adSet, ad: spring.ad }[level],
      external_id: { campaign: 'c1', ad_set: 's1', ad: '111' }[level],
      entity_level: level,
      parent_name: { campaign: null, ad_set: 'Campaign 1', ad: 'Set 1' }[level],
      campaign_external_id: level === 'campaign' ? null : 'c1',
      ad_set_external_id: level === 'ad' ? 's1' : null,
      impressions: 1_000,
      clicks: 20,
      reach: 900,
      ctr: 2,
      avg_cpm: 50,
      avg_cpc: 2.5,
      cac: 50,
      status: 'ACTIVE',
    })
  })

  it('counts only the days asked for, both inclusive', async () => {
    const { read } = await business()
    const counts = async (range: string) => {
      const { body } = await read(`/campaigns?${range}&model=last_touch`)
      return body.data.map((row: { outcome_count: number }) => row.outcome_count)
    }
    expect(await counts('date_from=2026-10-04&date_to=2026-10-04')).toEqual([1])
    expect(await counts('date_from=2026-10-05&date_to=2026-10-31')).toEqual([0])
    expect(await counts('date_from=2026-09-01&date_to=2026-09-30')).toEqual([])
  })

  it.each([
    ['', 'invalid_date_range'],
    ['date_from=2026-10-01', 'invalid_date_range'],
    ['date_from=2026-02-30&date_to=2026-03-01', 'invalid_date_range'],
    ['date_from=2026-10-02&date_to=2026-10-01', 'invalid_date_range'],
    ['date_from=2024-01-01&date_to=2026-10-01', 'invalid_date_range'],
    [`${october}&limit=0`, 'invalid_parameter'],
    [`${october}&limit=101`, 'invalid_parameter'],
    [`${october}&limit=ten`, 'invalid_parameter'],
    [`${october}&model=magic`, 'invalid_parameter'],
    [`${october}&level=creative`, 'invalid_parameter'],
  ])('refuses %j with %s', async (query, code) => {
    const { read } = await api.profile()
    expect(await read(`/campaigns?${query}`)).toMatchObject({ status: 400, body: { error: { code } } })
  })

  it('shows nothing of another profile', async () => {
    await business()
    const other = await api.profile()
    expect((await other.read(`/campaigns?${october}`)).body.data).toEqual([])
    expect((await other.read(`/campaigns/unattributed?${october}`)).body.data.attributed_outcome_count).toBe(0)
  })
})

describe('GET /campaigns/unattributed', () => {
  it('is what no entity earned', async () => {
    const { read } = await business()
    expect((await read(`/campaigns/unattributed?${october}`)).body.data).toEqual({
      outcome_count: 1,
      outcome_count_first_payment: 1,
      outcome_value: 7,
      attributed_outcome_count: 1,
      attributed_outcomes_by_type: { payment_received: 1 },
    })
  })

  it('and the campaign rows add up to the profile’s total under single-credit models, for any history', async () => {
    const sale = fc.record({
      amount: fc.integer({ min: 1, max: 1_000_000 }),
      refunded: fc.integer({ min: 0, max: 1_000_000 }),
      clicks: fc.array(fc.constantFrom('111', '222', 'unknown', null), { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(sale, { minLength: 1, maxLength: 8 }), async (sales) => {
        const { world, read } = await api.profile()
        await world.ad('111')
        await world.ad('222', { campaign_external_id: 'c2', campaign_name: 'Autumn', ad_set_external_id: 's2' })
        for (const { amount, refunded, clicks } of sales) {
          const buyer = randomUUID()
          for (const [i, ad] of clicks.entries()) await world.hit(buyer, at(`0${i + 1}T00:00:00`), ad ? { ad } : {})
          await world.outcome(buyer, at('20T00:00:00'), { amount, refunded })
        }
        await world.recompute()
        const total = sales.reduce((sum, { amount, refunded }) => sum + amount - Math.min(amount, refunded), 0)
        for (const level of ['campaign', 'ad_set', 'ad']) {
          for (const model of models) {
            const { body: rows } = await read(`/campaigns?${october}&model=${model}&level=${level}`)
            const { body: rest } = await read(`/campaigns/unattributed?${october}&model=${model}&level=${level}`)
            const all: { outcome_value: number; outcome_count: number }[] = [...rows.data, rest.data]
            const value = all.reduce((sum, row) => sum + Math.round(row.outcome_value * 100), 0)
            const isSingle = ['last_touch', 'first_touch', 'last_non_direct'].includes(model)
            if (isSingle) {
              expect(value).toBe(total)
              expect(all.reduce((sum, row) => sum + row.outcome_count, 0)).toBe(sales.length)
            } else {
              // Each figure is rounded once, to a cent.
              expect(Math.abs(value - total)).toBeLessThanOrEqual(all.length / 2)
            }
          }
        }
      }),
      { numRuns: 3 },
    )
  })
})
