import { type Random, seeded } from './random.ts'

export type Platform = 'meta' | 'google' | 'tiktok'
/** What a campaign is for: it decides whom its ads reach, and how often they change a mind. */
export type Purpose = 'prospecting' | 'search' | 'brand' | 'retargeting' | 'lead_form'

export interface Ad {
  platform: Platform
  purpose: Purpose
  campaignId: string
  campaignName: string
  adSetId: string
  adSetName: string
  adId: string
  adName: string
  /** Chance that a click makes somebody want to buy who did not before. */
  influence: number
  /** How often it is clicked, beside the other ads of its purpose. */
  weight: number
  dailySpendMinor: number
  /** Days of the period on which it runs, both included. */
  runs: [first: number, last: number]
}

interface Campaign {
  platform: Platform
  name: string
  purpose: Purpose
  influence: number
  weight: number
  /** Of all that is spent. */
  share: number
}

/** Brand search and retargeting meet people who have decided already: they are clicked last, and cause little. */
const campaigns: Campaign[] = [
  { platform: 'meta', name: 'Meta - New riders video', purpose: 'prospecting', influence: 0.15, weight: 9, share: 14 },
  { platform: 'meta', name: 'Meta - Lookalike buyers', purpose: 'prospecting', influence: 0.11, weight: 7, share: 11 },
  { platform: 'meta', name: 'Meta - Retargeting', purpose: 'retargeting', influence: 0.06, weight: 6, share: 8 },
  { platform: 'meta', name: 'Meta - Test ride form', purpose: 'lead_form', influence: 0.2, weight: 1, share: 6 },
  { platform: 'google', name: 'Google - Brand search', purpose: 'brand', influence: 0.03, weight: 1, share: 7 },
  { platform: 'google', name: 'Google - Generic search', purpose: 'search', influence: 0.16, weight: 6, share: 13 },
  { platform: 'google', name: 'Google - Shopping', purpose: 'search', influence: 0.12, weight: 5, share: 10 },
  { platform: 'google', name: 'Google - Display', purpose: 'prospecting', influence: 0.03, weight: 4, share: 7 },
  { platform: 'google', name: 'Google - Remarketing', purpose: 'retargeting', influence: 0.04, weight: 4, share: 5 },
  { platform: 'tiktok', name: 'TikTok - Creators', purpose: 'prospecting', influence: 0.2, weight: 6, share: 9 },
  { platform: 'tiktok', name: 'TikTok - Spark ads', purpose: 'prospecting', influence: 0.09, weight: 5, share: 7 },
  { platform: 'tiktok', name: 'TikTok - Retargeting', purpose: 'retargeting', influence: 0.06, weight: 2, share: 3 },
]
const audiences = ['Commuters', 'Families', 'Weekend riders']
const creatives = ['Spring offer', 'Test ride', 'City story']
const firstIds: Record<Platform, number> = { meta: 120_210_000_000, google: 21_500_000_000, tiktok: 179_300_000_000 }
const spendPerVisitorMinor = 1600

export const days = 60

/** Every ad of the business, with the spend that fits its number of visitors. */
export function placeAds(seed: number, visitors: number): Ad[] {
  const random = seeded(seed, 'ads')
  const adsPerCampaign = audiences.length * creatives.length
  const shares = campaigns.reduce((sum, { share }) => sum + share, 0)
  return campaigns.flatMap((campaign, c) => {
    const { platform, purpose, name: campaignName } = campaign
    const id = (offset: number) => String(firstIds[platform] + c * 1_000_000 + offset)
    const dailySpendMinor = (visitors * spendPerVisitorMinor * campaign.share) / shares / days / adsPerCampaign
    return audiences.flatMap((audience, s) =>
      creatives.map((creative, a) => ({
        platform,
        purpose,
        campaignId: id(0),
        campaignName,
        adSetId: id(1000 * (s + 1)),
        adSetName: audience,
        adId: id(1000 * (s + 1) + a + 1),
        adName: `${creative} ${s + 1}${'ABC'[a]}`,
        influence: campaign.influence * random.between(0.4, 1.6),
        weight: campaign.weight * random.between(0.5, 1.5),
        dailySpendMinor: dailySpendMinor * random.between(0.6, 1.4),
        runs: runsOf(random),
      })),
    )
  })
}

/** Most ads run all the time, some start later or are paused. */
function runsOf(random: Random): [number, number] {
  if (random.chance(0.7)) return [0, days - 1]
  return random.chance(0.5) ? [random.whole(5, 35), days - 1] : [0, random.whole(25, 55)]
}

/** The ads of these purposes that run on a day, for a weighted draw. */
export function running(ads: readonly Ad[], purposes: readonly Purpose[], day: number): [Ad, number][] {
  return ads
    .filter(({ purpose, runs }) => purposes.includes(purpose) && runs[0] <= day && day <= runs[1])
    .map((ad) => [ad, ad.weight])
}
