import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScoreWindow, scoreWindows } from '../../../../domain/performers/windows.ts'
import { scoreWindow } from '../../../../processors/performers/score-profile.ts'
import type { AdDelivery } from '../../../../schemas/messages.ts'
import { define } from '../../../processors/attribution/world.ts'
import { openReadingApp } from '../reading-app.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)
const dayOf = (text: string) => Date.parse(text) / 86_400_000

/** Three ads: one that sells, one that starts conversations, one that only its platform praises. */
async function business() {
  const profile = await api.profile()
  const { world } = profile
  await define(api.warehouse, profile.id, 'dm_started', 'messaging')
  const ad = (id: string, parts: Partial<AdDelivery>) =>
    world.ad(id, { campaign_name: 'Spring', ad_set_name: 'Riders', date: dayOf('2026-10-20'), ...parts })
  const seller = {
    objective: 'OUTCOME_SALES',
    creative_format: 'UGC Video',
    video_id: 'v1',
    creative_thumbnail_url: 'https://cdn.example/v1.jpg',
    hook_type: 'question',
    cta_type: 'SHOP_NOW',
    primary_angle: 'price',
    offers: ['2x1'],
    audience_warmth: 'cold',
    geo: 'CL',
    placement: 'feed',
    impressions: 20_000,
    clicks: 400,
    avg_engagement_score: 7,
  }
  await ad('seller', { ...seller, spend_minor: 10_000 })
  await ad('seller', { ...seller, spend_minor: 5_000, date: dayOf('2026-09-05') })
  await ad('talker', {
    objective: 'OUTCOME_ENGAGEMENT',
    creative_format: 'static',
    spend_minor: 6_000,
    impressions: 30_000,
    clicks: 300,
    messaging_conversations_started_7d: 12,
    first_reply_rate: 0.75,
  })
  await ad('praised', {
    objective: 'OUTCOME_SALES',
    creative_format: 'carousel',
    spend_minor: 50_000,
    impressions: 90_000,
    clicks: 100,
    platform_conversions: 3,
    platform_conversion_value_minor: 90_000,
  })
  const buyer = randomUUID()
  await world.hit(buyer, at('19T00:00:00'), { ad: 'seller' })
  await world.outcome(buyer, at('20T00:00:00'), { amount: 30_050, refunded: 50 })
  await world.outcome(buyer, at('20T01:00:00'), { type: 'lead_created', amount: 7_000 })
  const writer = randomUUID()
  await world.hit(writer, at('19T00:00:00'), { ad: 'talker' })
  await world.outcome(writer, at('20T00:00:00'), { type: 'dm_started', amount: 0 })
  await world.recompute()
  const score = async (windows: readonly ScoreWindow[] = scoreWindows, through = '2026-10-31') => {
    for (const window of windows) {
      await scoreWindow(
        { postgres: api.pool, warehouse: api.warehouse },
        { id: profile.id, timezone: 'UTC', currency: 'USD', ads: 3 },
        window,
        through,
      )
    }
  }
  const named = async (query = '') =>
    (await profile.read(`/top-performers?${query}`)).body.data.map((row: { ad_name: string }) => row.ad_name)
  return { ...profile, score, named }
}

describe('GET /top-performers', () => {
  it('is empty until something is scored', async () => {
    const { id, read } = await business()
    const { status, body } = await read('/top-performers')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [],
      pagination: { has_next: false, cursor: null },
      meta: { profile_id: id, scored_at: null, scored_through: null },
    })
  })

  it('tells all about an ad', async () => {
    const { read, score } = await business()
    await score()
    const { body } = await read('/top-performers')
    expect(body.meta).toMatchObject({ scored_through: '2026-10-31', scored_at: expect.stringMatching(/^20/) })
    expect(body.data[0]).toEqual({
      ad_external_id: 'seller',
      ad_name: 'Ad seller',
      campaign_name: 'Spring',
      ad_set_name: 'Riders',
      creative_thumbnail_url: 'https://cdn.example/v1.jpg',
      video_id: 'v1',
      score_window: '28d',
      composite_score: expect.any(Number),
      top_performer_likelihood: expect.any(Number),
      model_version: null,
      score_source: 'rules',
      maturity_stage: 'early',
      truth_grade: 'attributed',
      primary_outcome_kind: 'cash',
      cohort_key: 'any|any|any|any|any|any',
      cohort_objective: 'any',
      cohort_format: 'any',
      cohort_audience_warmth: 'any',
      cohort_n_ads: 3,
      hook_type: 'question',
      creative_format: 'ugc_video',
      cta_type: 'SHOP_NOW',
      primary_angle: 'price',
      offers: ['2x1'],
      spend: 100,
      impressions: 20_000,
      ctr: 2,
      cpc: 0.25,
      attributed_cash_outcomes: 1,
      attributed_revenue: 300,
      roas: 3,
      cac: 100,
      attributed_outcomes_total: 2,
      attributed_pipeline_outcomes: 1,
      attributed_pipeline_value: 70,
      meta_reported_conversions: null,
      meta_reported_conversion_value: null,
      cost_per_conversation: null,
      messaging_conversations_started: null,
      first_reply_rate: null,
      avg_engagement_score: 7,
      reason_codes: expect.arrayContaining([
        { layer: 'efficiency', polarity: 'strength', percentile: 83.3, sample_confidence: 'low' },
      ]),
    })
    expect(body.data[1]).toMatchObject({
      ad_external_id: 'talker',
      cost_per_conversation: 5,
      messaging_conversations_started: 12,
      first_reply_rate: 0.75,
      avg_engagement_score: null,
      creative_thumbnail_url: null,
    })
    expect(body.data[2]).toMatchObject({
      ad_external_id: 'praised',
      truth_grade: 'predicted',
      primary_outcome_kind: 'meta',
      meta_reported_conversions: 3,
      meta_reported_conversion_value: 900,
      roas: 0,
      cac: null,
    })
  })

  it('looks at the days of its window', async () => {
    const { read, score } = await business()
    await score()
    const spend = async (window: string) => {
      const { body } = await read(`/top-performers?window=${window}`)
      const seller = body.data.find((row: { ad_external_id: string }) => row.ad_external_id === 'seller')
      return seller?.spend
    }
    expect(await spend('7d')).toBeUndefined()
    expect(await spend('14d')).toBe(100)
    expect(await spend('28d')).toBe(100)
    expect(await spend('lifetime')).toBe(150)
  })

  it('replaces a ranking whole, and is empty again when no ad ran', async () => {
    const { score, named } = await business()
    await score(['28d'])
    await score(['28d'])
    expect(await named()).toHaveLength(3)
    await score(['28d'], '2026-08-01')
    expect(await named()).toEqual([])
  })

  it.each([
    ['limit=1', ['Ad seller']],
    ['min_spend=60.01', ['Ad seller', 'Ad praised']],
    ['min_spend=500', ['Ad praised']],
    ['objectives=messaging', ['Ad talker']],
    ['objectives=sales,messaging', ['Ad seller', 'Ad talker', 'Ad praised']],
    ['objectives=leads', []],
    ['truth_grades=predicted', ['Ad praised']],
    ['truth_grades=attributed, lift', ['Ad seller', 'Ad talker']],
    ['truth_grades=lift', []],
    ['outcome_kinds=cash,meta', ['Ad seller', 'Ad praised']],
    ['outcome_kinds=messaging', ['Ad talker']],
    ['outcome_kinds=pipeline,none', []],
    ['formats=ugc_video', ['Ad seller']],
    ['formats=UGC Video,carousel', ['Ad seller', 'Ad praised']],
    ['formats=hologram', []],
    ['has_video=true', ['Ad seller']],
    ['has_video=false', ['Ad talker', 'Ad praised']],
    ['has_video=false&objectives=sales&min_spend=1', ['Ad praised']],
  ])('with %s keeps %j', async (query, expected) => {
    const { score, named } = await shared()
    await score(['28d'])
    expect(await named(query)).toEqual(expected)
  })

  it.each([
    'window=30d',
    'window=',
    'limit=0',
    'limit=51',
    'limit=2.5',
    'min_spend=-1',
    'min_spend=much',
    'min_spend=Infinity',
    'objectives=fame',
    'objectives=',
    'objectives=sales,',
    'truth_grades=proved',
    'outcome_kinds=cash&outcome_kinds=meta',
    'formats=',
    'formats=a,,b',
    `formats=${'a'.repeat(501)}`,
    'has_video=maybe',
  ])('refuses %s', async (query) => {
    const { read } = await shared()
    expect(await read(`/top-performers?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter' } },
    })
  })

  it('shows nothing of another profile', async () => {
    const { score } = await business()
    await score()
    const other = await api.profile()
    expect((await other.read('/top-performers')).body.data).toEqual([])
  })
})

let one: ReturnType<typeof business> | undefined
const shared = () => (one ??= business())
