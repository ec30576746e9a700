import { type Ad, days } from './ads.ts'
import { type Creative, creativeOf } from './creatives.ts'
import { seeded } from './random.ts'

export interface DeliveryRow extends Creative {
  platform: string
  date: string
  currency: string
  campaign_external_id: string
  campaign_name: string
  ad_set_external_id: string
  ad_set_name: string
  ad_external_id: string
  ad_name: string
  status: string
  ad_set_status: string
  campaign_status: string
  objective: string
  spend: number
  impressions: number
  clicks: number
  reach: number
  platform_conversions: number
  platform_conversion_value: number
}

export interface Delivery {
  /** As first reported: the newest days are still incomplete. */
  first: DeliveryRow[]
  /** What the platforms say about those days later; it replaces what they said first. */
  restated: DeliveryRow[]
  spendMinorByCampaign: Map<string, number>
}

const restatedDays = 3
const dayMs = 86_400_000
const objectives = {
  prospecting: 'OUTCOME_SALES',
  search: 'SEARCH',
  brand: 'SEARCH',
  retargeting: 'OUTCOME_SALES',
  lead_form: 'OUTCOME_LEADS',
}

export function deliver(seed: number, ads: readonly Ad[], firstDay: number): Delivery {
  const random = seeded(seed, 'delivery')
  const first: DeliveryRow[] = []
  const restated: DeliveryRow[] = []
  const spendMinorByCampaign = new Map<string, number>()
  const statusOf = (isMeant: (ad: Ad) => boolean) =>
    ads.some((ad) => isMeant(ad) && ad.runs[1] === days - 1) ? 'ACTIVE' : 'PAUSED'
  for (const ad of ads) {
    const creative = creativeOf(ad)
    for (let day = ad.runs[0]; day <= ad.runs[1]; day++) {
      const spendMinor = Math.round(ad.dailySpendMinor * random.between(0.7, 1.3))
      const impressions = Math.round((spendMinor / 100 / random.between(4, 11)) * 1000)
      const clicks = Math.round(impressions * random.between(0.006, 0.022))
      const conversions = Math.round(clicks * random.between(0.02, 0.12))
      const row: DeliveryRow = {
        platform: ad.platform,
        date: new Date(firstDay + day * dayMs).toISOString().slice(0, 10),
        currency: 'USD',
        campaign_external_id: ad.campaignId,
        campaign_name: ad.campaignName,
        ad_set_external_id: ad.adSetId,
        ad_set_name: ad.adSetName,
        ad_external_id: ad.adId,
        ad_name: ad.adName,
        status: statusOf((other) => other.adId === ad.adId),
        ad_set_status: statusOf((other) => other.adSetId === ad.adSetId),
        campaign_status: statusOf((other) => other.campaignId === ad.campaignId),
        objective: objectives[ad.purpose],
        spend: spendMinor / 100,
        impressions,
        clicks,
        reach: Math.round(impressions * 0.7),
        platform_conversions: conversions,
        platform_conversion_value: conversions * 140,
        ...creative,
      }
      spendMinorByCampaign.set(ad.campaignName, (spendMinorByCampaign.get(ad.campaignName) ?? 0) + spendMinor)
      if (day < days - restatedDays) first.push(row)
      else {
        first.push({ ...row, spend: Math.round(spendMinor * 0.8) / 100, clicks: Math.round(clicks * 0.8) })
        restated.push(row)
      }
    }
  }
  return { first, restated, spendMinorByCampaign }
}
