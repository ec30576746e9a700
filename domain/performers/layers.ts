import type { Objective } from './creative.ts'
import type { AdEvidence } from './evidence.ts'

/** In the order in which equal reasons are told. */
export const layers = [
  'efficiency',
  'attributed_outcomes',
  'pipeline',
  'messaging',
  'engagement',
  'platform_reported',
] as const
export type Layer = (typeof layers)[number]

/** One figure in which ads are ranked, the highest first. */
export interface Signal {
  layer: Layer
  /** Null when the ad has nothing to measure it by. */
  value: (ad: AdEvidence) => number | null
  /** What was counted, and over what: how many the cohort lets one expect is the sample, even where none came. */
  events: (ad: AdEvidence) => number
  exposure: (ad: AdEvidence) => number
  /** So many events make the ad's own rank count as much as the mean of its cohort. */
  halfAt: number
}

const per = (amount: number | null, exposure: number) => (amount === null || exposure <= 0 ? null : amount / exposure)
const perSpend = (amount: number | null, ad: AdEvidence) => (ad.isSpendWhole ? per(amount, ad.spend) : null)
const spend = (ad: AdEvidence) => ad.spend
const conversions = 10
const clicks = 100

/** Costs are ranked as their inverse, so that more is better everywhere and an ad without result has 0, not nothing. */
export const signals: readonly Signal[] = [
  {
    // roas
    layer: 'efficiency',
    value: (ad) => perSpend(ad.cashValue, ad),
    events: (ad) => ad.cashOutcomes,
    exposure: spend,
    halfAt: conversions,
  },
  {
    // cac
    layer: 'efficiency',
    value: (ad) => perSpend(ad.cashOutcomes, ad),
    events: (ad) => ad.cashOutcomes,
    exposure: spend,
    halfAt: conversions,
  },
  {
    layer: 'attributed_outcomes',
    value: (ad) => perSpend(ad.outcomes, ad),
    events: (ad) => ad.outcomes,
    exposure: spend,
    halfAt: conversions,
  },
  {
    layer: 'pipeline',
    value: (ad) => perSpend(ad.pipelineOutcomes, ad),
    events: (ad) => ad.pipelineOutcomes,
    exposure: spend,
    halfAt: conversions,
  },
  {
    // cost per conversation
    layer: 'messaging',
    value: (ad) => perSpend(ad.conversations, ad),
    events: (ad) => ad.conversations ?? 0,
    exposure: spend,
    halfAt: conversions,
  },
  {
    layer: 'messaging',
    value: (ad) => ad.firstReplyRate,
    events: (ad) => ad.conversations ?? 0,
    exposure: spend,
    halfAt: conversions,
  },
  {
    // ctr
    layer: 'engagement',
    value: (ad) => per(ad.clicks, ad.impressions),
    events: (ad) => ad.clicks,
    exposure: (ad) => ad.impressions,
    halfAt: clicks,
  },
  {
    // cpc
    layer: 'engagement',
    value: (ad) => perSpend(ad.clicks, ad),
    events: (ad) => ad.clicks,
    exposure: spend,
    halfAt: clicks,
  },
  {
    layer: 'engagement',
    value: (ad) => ad.engagementScore,
    events: (ad) => ad.clicks,
    exposure: (ad) => ad.impressions,
    halfAt: clicks,
  },
  {
    layer: 'platform_reported',
    value: (ad) => perSpend(ad.platformConversions, ad),
    events: (ad) => ad.platformConversions ?? 0,
    exposure: spend,
    halfAt: conversions,
  },
]

type Weights = Readonly<Record<Layer, number>>

const weigh = (...weights: [number, number, number, number, number, number]): Weights =>
  Object.fromEntries(layers.map((layer, at) => [layer, weights[at]])) as Weights

/** Hundredths of the blend. What a cohort has no figure for at all is left out and the others share its part. */
const weightsOf: Readonly<Record<Objective | 'other', Weights>> = {
  //               efficiency, outcomes, pipeline, messaging, engagement, platform
  sales: weigh(40, 15, 10, 5, 15, 15),
  leads: weigh(15, 20, 35, 5, 15, 10),
  messaging: weigh(15, 15, 20, 30, 10, 10),
  traffic: weigh(15, 15, 10, 5, 45, 10),
  awareness: weigh(10, 10, 10, 5, 55, 10),
  other: weigh(30, 20, 15, 10, 15, 10),
}

/** By the objective of the cohort, not of the ad: all that are compared are weighed alike. */
export const layerWeights = (objective: string): Weights =>
  Object.hasOwn(weightsOf, objective) ? weightsOf[objective as Objective] : weightsOf.other
