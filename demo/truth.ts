import type { Delivery } from './ad-delivery.ts'
import type { Ad } from './ads.ts'
import type { Life } from './life.ts'

export interface Caused {
  sales: number
  /** What was paid and not paid back. */
  netMinor: number
}

/** What no report can know, and every model guesses at: which campaign caused which sale. */
export interface Truth {
  total: Caused
  byCampaign: Map<string, Caused>
  /** Sales that no ad caused. */
  byNoAd: Caused
  spendMinorByCampaign: Map<string, number>
  conversionsByType: Record<string, number>
}

export function truthOf(lives: readonly Life[], ads: readonly Ad[], { spendMinorByCampaign }: Delivery): Truth {
  const none = (): Caused => ({ sales: 0, netMinor: 0 })
  const total = none()
  const byNoAd = none()
  const byCampaign = new Map(ads.map(({ campaignName }) => [campaignName, none()]))
  const conversionsByType: Record<string, number> = {}
  const convert = (type: string) => {
    conversionsByType[type] = (conversionsByType[type] ?? 0) + 1
  }
  for (const { sales, crm } of lives) {
    for (const { cause, amountMinor, refundedMinor } of sales) {
      for (const caused of [total, cause ? byCampaign.get(cause.campaignName)! : byNoAd]) {
        caused.sales++
        caused.netMinor += amountMinor - refundedMinor
      }
      convert('payment_received')
    }
    for (const { type } of crm) convert(type)
  }
  return { total, byCampaign, byNoAd, spendMinorByCampaign, conversionsByType }
}
