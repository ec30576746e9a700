import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createBusiness } from '../../demo/business.ts'
import { campaignTable, whatToNotice } from '../../demo/print.ts'
import { compare, type Figures, misplaced, type Report } from '../../demo/report.ts'

const { truth } = createBusiness({ seed: 7, visitors: 500, until: Date.parse('2026-06-30T15:00:00Z') })

/** What a model that knows everything would report. */
function perfect(): Report {
  const models = (figures: Figures) => ({
    last_touch: structuredClone(figures),
    first_touch: structuredClone(figures),
    linear: structuredClone(figures),
  })
  const { payment_received: _, ...others } = truth.conversionsByType
  return {
    campaigns: [...truth.byCampaign].map(([name, { sales, netMinor }]) => ({
      name,
      spendMinor: truth.spendMinorByCampaign.get(name) ?? 0,
      models: models({ sales, valueMinor: netMinor, byType: { payment_received: sales } }),
    })),
    unattributed: models({
      sales: truth.byNoAd.sales,
      valueMinor: truth.byNoAd.netMinor,
      byType: { ...others, payment_received: truth.byNoAd.sales },
    }),
  }
}

describe('the check of the report', () => {
  it('finds nothing where everything adds up', () => {
    expect(compare(perfect(), truth)).toEqual([])
    expect(misplaced(perfect(), truth, 'linear')).toBe(0)
  })

  it('does not mind which campaign was credited, as long as the sum is right', () => {
    const report = perfect()
    const [from, to] = report.campaigns as [Report['campaigns'][number], Report['campaigns'][number]]
    from.models.last_touch.valueMinor -= 100
    to.models.last_touch.valueMinor += 100

    expect(compare(report, truth)).toEqual([])
    expect(misplaced(report, truth, 'last_touch')).toBeCloseTo(100 / truth.total.netMinor)
  })

  it.each([
    [
      'a cent is missing',
      (report: Report) => void report.campaigns[0]!.models.last_touch.valueMinor--,
      /value under last_touch/,
    ],
    [
      'a sale is counted twice',
      (report: Report) => void report.unattributed.first_touch.sales++,
      /sales under first_touch/,
    ],
    [
      'a lead is lost',
      (report: Report) => void report.unattributed.last_touch.byType.lead_created!--,
      /lead_created under last_touch/,
    ],
    [
      'shares lose more than rounding can',
      (report: Report) => {
        report.unattributed.linear.valueMinor -= 10
      },
      /value under linear/,
    ],
    ['spend is off', (report: Report) => void report.campaigns[3]!.spendMinor++, /spend of/],
  ])('says so when %s', (_, spoil, said) => {
    const report = perfect()
    spoil(report)

    expect(compare(report, truth)).toEqual([expect.stringMatching(said)])
  })

  it('prints a table that fits 120 columns and a sentence that is computed from it', () => {
    const report = perfect()
    const [first] = report.campaigns as [Report['campaigns'][number]]
    first.models.last_touch.valueMinor += 1_000_000
    const lines = stripVTControlCharacters(campaignTable(report, truth)).split('\n')

    expect(lines).toHaveLength(truth.byCampaign.size + 3)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(whatToNotice(report, truth)).toContain(`${first.name} caused`)
  })
})
