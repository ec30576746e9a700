import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likelihoodOf, scoreAds } from '../../../domain/performers/score-ads.ts'
import { ad, several } from './ads.ts'

const sold = (cashOutcomes: number, cashValue: number, spend = 1000) => ({
  spend,
  impressions: 50 * spend,
  clicks: spend / 2,
  outcomes: cashOutcomes,
  cashOutcomes,
  cashValue,
})
const scores = (ads: ReturnType<typeof several>) =>
  new Map(scoreAds(ads).map((scored) => [scored.ad.adExternalId, scored]))

const anyAd = fc.record({
  adExternalId: fc.stringMatching(/^[a-z0-9]{1,4}$/),
  channel: fc.constantFrom('meta', 'google'),
  objective: fc.constantFrom('sales', 'leads', 'unknown'),
  spend: fc.integer({ min: 0, max: 5000 }),
  impressions: fc.integer({ min: 0, max: 100_000 }),
  clicks: fc.integer({ min: 0, max: 1000 }),
  cashOutcomes: fc.integer({ min: 0, max: 50 }),
  cashValue: fc.integer({ min: 0, max: 9000 }),
  platformConversions: fc.option(fc.integer({ min: 0, max: 50 })),
})
const anyAccount = fc.uniqueArray(anyAd, { maxLength: 40, selector: (one) => `${one.adExternalId} ${one.channel}` })
const build = (rows: Parameters<typeof ad>[1][]) => rows.map((row) => ad(row!.adExternalId!, row))

describe('scores', () => {
  it('take nothing from a spend of which a part could not be converted', () => {
    const partly = { ...sold(60, 9000, 100), isSpendWhole: false }
    const found = scores([ad('partly', partly), ...several(8, 'middling', sold(30, 3000))])
    const layers = found.get('partly')!.reasonCodes.map(({ layer }) => layer)
    expect(layers).not.toContain('efficiency')
    expect(layers).not.toContain('attributed_outcomes')
  })

  it('rank what earns more for its money higher, and say why', () => {
    const found = scores([
      ad('best', sold(60, 9000)),
      ...several(7, 'middling', sold(30, 3000)),
      ad('worst', sold(5, 100)),
    ])
    const [best, worst] = [found.get('best')!, found.get('worst')!]
    expect(best.rank).toBe(1)
    expect(worst.rank).toBe(9)
    expect(best.compositeScore!).toBeGreaterThan(60)
    expect(best.reasonCodes[0]).toEqual({
      layer: 'efficiency',
      polarity: 'strength',
      percentile: 94.4,
      sampleConfidence: 'high',
    })
    expect(worst.reasonCodes[0]).toMatchObject({ layer: 'efficiency', polarity: 'weakness', percentile: 5.6 })
  })

  it('draw an ad with a small sample to the mean of its cohort', () => {
    const crowd = several(8, 'crowd', sold(30, 3000))
    const lucky = scores([...crowd, ad('x', sold(1, 900, 10))]).get('x')!
    const proven = scores([...crowd, ad('x', sold(100, 90_000, 1000))]).get('x')!
    expect(lucky.compositeScore!).toBeLessThan(proven.compositeScore!)
    const efficiency = ({ reasonCodes }: typeof lucky) => reasonCodes.find(({ layer }) => layer === 'efficiency')
    expect(efficiency(lucky)).toMatchObject({ polarity: 'strength', sampleConfidence: 'low' })
    expect(efficiency(proven)).toMatchObject({ polarity: 'strength', sampleConfidence: 'high' })
  })

  it('believe a large sample without a result, and not a small one', () => {
    const crowd = several(8, 'crowd', sold(30, 3000))
    const idle = (spend: number) => scores([...crowd, ad('x', sold(0, 0, spend))]).get('x')!.compositeScore!
    expect(idle(10)).toBeGreaterThan(idle(5000))
  })

  it('are absent where nothing of an ad can be compared', () => {
    const found = scores([ad('silent'), ...several(8, 'crowd', sold(3, 300))]).get('silent')!
    expect(found).toMatchObject({ compositeScore: null, rank: 9, reasonCodes: [], likelihood: likelihoodOf(50) })
  })

  it('leave out layers that nobody of the cohort has a figure for', () => {
    const [first, second] = scoreAds([
      ad('a', { impressions: 100_000, clicks: 90_000, spend: 10 }),
      ad('b', { impressions: 100_000, clicks: 45_000, spend: 10 }),
    ])
    expect(first!.reasonCodes.map(({ layer }) => layer)).toEqual(['engagement'])
    // 75th of 100 in both signals, hardly drawn back: 90,000 and 67,500 of clicks against 100.
    expect(first!.compositeScore).toBe(74.97)
    expect(second!.compositeScore).toBe(25.04)
  })

  it('break ties by spend, then by the ad’s own id', () => {
    const order = scoreAds([ad('b'), ad('a'), ad('c', { channel: 'google' }), ad('a', { channel: 'google' })])
    expect(order.map((one) => `${one.ad.adExternalId} ${one.ad.channel}`)).toEqual([
      'a google',
      'a meta',
      'b meta',
      'c google',
    ])
  })

  it('do not depend on the order in which ads come, stay within 0 and 100, and rise with the likelihood', () => {
    fc.assert(
      fc.property(anyAccount, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (rows, random) => {
        const ads = build(rows)
        const shuffled = ads
          .map((one) => [random.next().value as number, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one)
        const scored = scoreAds(ads)
        expect(scoreAds(shuffled)).toEqual(scored)
        expect(scored.map(({ rank }) => rank)).toEqual(ads.map((_, at) => at + 1))
        for (const { compositeScore, likelihood, modelVersion, scoreSource } of scored) {
          if (compositeScore !== null) {
            expect(compositeScore).toBeGreaterThanOrEqual(0)
            expect(compositeScore).toBeLessThanOrEqual(100)
          }
          expect(likelihood).toBe(likelihoodOf(compositeScore))
          expect({ modelVersion, scoreSource }).toEqual({ modelVersion: null, scoreSource: 'rules' })
        }
        const ordered = scored.filter(({ compositeScore }) => compositeScore !== null)
        for (const [at, one] of ordered.entries()) {
          if (at > 0) expect(one.likelihood).toBeLessThanOrEqual(ordered[at - 1]!.likelihood)
        }
      }),
    )
  })

  it('take their likelihood from a ranker where there is one', () => {
    const [scored] = scoreAds(several(1, 'a', sold(3, 300)), { version: 4, likelihood: () => 0.25 })
    expect(scored).toMatchObject({ likelihood: 0.25, scoreSource: 'model', modelVersion: 4 })
  })
})
