import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { levels, models } from '../../../../domain/models.ts'
import { openReadingApp } from '../reading-app.ts'
import { october, openBusiness } from './business.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
let business: Awaited<ReturnType<typeof openBusiness>>
beforeAll(async () => {
  api = await openReadingApp()
  business = await openBusiness(api)
})
afterAll(() => api.close())

describe('GET /ads/{id}', () => {
  it.each(levels)('shows at level %s what the campaign report shows, under every model', async (level) => {
    const { read, spring } = business
    const id = { campaign: spring.campaign, ad_set: spring.adSet, ad: spring.ad }[level]
    for (const model of models) {
      const { body: rows } = await read(`/campaigns?${october}&level=${level}&model=${model}`)
      const { body } = await read(`/ads/${id}?${october}&level=${level}&model=${model}`)
      const row = rows.data.find((one: { campaign_id: string }) => one.campaign_id === id)
      const isAdSet = level === 'ad_set'
      expect(body.data).toEqual({
        ...row,
        learning_stage_status: isAdSet ? 'LEARNING' : null,
        campaign_objective: isAdSet ? 'OUTCOME_SALES' : null,
      })
    }
  })

  it('is of an ad unless a level is given, and takes the platform’s id', async () => {
    const { read, spring } = business
    expect((await read(`/ads/111?${october}`)).body.data).toMatchObject({ campaign_id: spring.ad, entity_level: 'ad' })
    expect((await read(`/ads/s1?${october}&level=ad_set`)).body.data).toMatchObject({ campaign_id: spring.adSet })
    expect((await read(`/ads/${spring.ad.toUpperCase()}?${october}`)).body.data.campaign_id).toBe(spring.ad)
  })

  it('tells two platforms with the same id apart', async () => {
    const { world, read } = await api.profile()
    const meta = await world.ad('7')
    const google = await world.ad('7', { platform: 'google_ads', campaign_external_id: 'g', ad_set_external_id: 'gs' })
    const of = async (query: string) => (await read(`/ads/7?${october}${query}`)).body.data.campaign_id
    expect(await of('&platform=meta')).toBe(meta.ad)
    expect(await of('&platform=google')).toBe(google.ad)
    expect(await of('')).toBe(google.ad)
  })

  it('shows zero figures where nothing happened in the range', async () => {
    const { read, spring } = business
    const { body } = await read(`/ads/${spring.ad}?date_from=2020-01-01&date_to=2020-12-31`)
    expect(body.data).toMatchObject({
      campaign_name: 'Ad 111',
      spend: 0,
      outcome_count: 0,
      outcome_value: 0,
      roas: null,
      cac: null,
      ctr: null,
      reach: null,
      attributed_outcomes_by_type: {},
    })
  })

  it.each([randomUUID(), '999', 'not-an-id', '%27%3B', '00000000-0000-0000-0000-000000000000'])(
    'does not find %s',
    async (id) => {
      expect(await business.read(`/ads/${id}?${october}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
    },
  )

  it('does not find an entity of another level or profile', async () => {
    const { read, spring } = business
    expect((await read(`/ads/${spring.campaign}?${october}`)).status).toBe(404)
    const other = await api.profile()
    expect((await other.read(`/ads/${spring.ad}?${october}`)).status).toBe(404)
  })

  it('refuses a missing range', async () => {
    expect((await business.read(`/ads/111?date_from=2026-10-01`)).body.error.code).toBe('invalid_date_range')
  })
})
