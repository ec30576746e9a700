import { type Cohort, cohortsOf } from './cohorts.ts'
import type { AdEvidence } from './evidence.ts'
import {
  type MaturityStage,
  maturityStage,
  type OutcomeKind,
  primaryOutcomeKind,
  type TruthGrade,
  truthGrade,
} from './grades.ts'
import { type Layer, layers, layerWeights, type Signal, signals } from './layers.ts'
import { percentileRanks } from './percentile.ts'
import type { Ranker } from './ranker.ts'

export interface ReasonCode {
  layer: Layer
  polarity: 'strength' | 'weakness'
  /** Of the cohort, 0 to 100: where the ad's own figures stand, before they are drawn to the mean. */
  percentile: number
  sampleConfidence: 'low' | 'medium' | 'high'
}

export interface ScoredAd<Ad extends AdEvidence> {
  ad: Ad
  /** From 1; no two ads share one. */
  rank: number
  compositeScore: number | null
  likelihood: number
  scoreSource: 'model' | 'rules'
  modelVersion: number | null
  maturityStage: MaturityStage
  truthGrade: TruthGrade
  primaryOutcomeKind: OutcomeKind
  cohort: { key: string; objective: string; format: string; audienceWarmth: string; size: number }
  reasonCodes: ReasonCode[]
}

const mean = 50
const strongFrom = 60
const weakTo = 40

/**
 * Ranks ads by a blend of percentile ranks within their cohorts. The result is a function of the set of ads: their order
 * does not matter. A ranker, where one has proved better than the rules, gives the likelihood; the score stays theirs.
 */
export function scoreAds<Ad extends AdEvidence>(ads: readonly Ad[], ranker?: Ranker): ScoredAd<Ad>[] {
  // Sums of doubles depend on their order, so there is one.
  const ordered = ads.toSorted(byName)
  return cohortsOf(ordered)
    .flatMap((cohort) => scoreCohort(cohort, ranker))
    .sort(
      (a, b) => (b.compositeScore ?? -1) - (a.compositeScore ?? -1) || b.ad.spend - a.ad.spend || byName(a.ad, b.ad),
    )
    .map((scored, at) => ({ ...scored, rank: at + 1 }))
}

/** A monotone function of the score: half at 70, where an ad stands well above most of its cohort in most layers. */
export const likelihoodOf = (compositeScore: number | null): number =>
  rounded(1 / (1 + Math.exp((70 - (compositeScore ?? mean)) / 10)), 4)

function scoreCohort<Ad extends AdEvidence>(cohort: Cohort<Ad>, ranker: Ranker | undefined): ScoredAd<Ad>[] {
  const { key, objective, format, audienceWarmth, members, compared } = cohort
  const weights = layerWeights(objective)
  const measured = layers.flatMap((layer) => {
    const rankings = signals
      .filter((signal) => signal.layer === layer)
      .flatMap((signal) => ranking(signal, members) ?? [])
    return rankings.length === 0 ? [] : [{ layer, weight: weights[layer], rankings }]
  })
  const totalWeight = measured.reduce((sum, { weight }) => sum + weight, 0)
  return compared.map((ad) => {
    const standings = measured.map(({ layer, weight, rankings }) => ({ layer, weight, ...standing(rankings, ad) }))
    const isMeasured = standings.some(({ confidence }) => confidence > 0)
    const compositeScore = isMeasured
      ? rounded(standings.reduce((sum, { weight, shrunk }) => sum + weight * shrunk, 0) / totalWeight, 2)
      : null
    return {
      ad,
      rank: 0,
      compositeScore,
      likelihood: ranker ? ranker.likelihood(ad) : likelihoodOf(compositeScore),
      scoreSource: ranker ? 'model' : 'rules',
      modelVersion: ranker?.version ?? null,
      maturityStage: maturityStage(ad),
      truthGrade: truthGrade(ad),
      primaryOutcomeKind: primaryOutcomeKind(ad),
      cohort: { key, objective, format, audienceWarmth, size: members.length },
      reasonCodes: reasons(standings),
    }
  })
}

/** Where an ad stands among the members of its cohort, and how much that is worth: from 0, nothing, to 1. */
type Ranking = (ad: AdEvidence) => { percentile: number; confidence: number }

/** Nothing where no member has a result: an equal rank for all would only pull the blend to the mean. */
function ranking(signal: Signal, members: readonly AdEvidence[]): Ranking | undefined {
  const values = members.map(signal.value)
  if (!values.some((value) => value !== null && value > 0)) return undefined
  const percentileOf = percentileRanks(values.filter((value) => value !== null))
  const exposure = members.reduce((sum, ad) => sum + signal.exposure(ad), 0)
  const rate = exposure > 0 ? members.reduce((sum, ad) => sum + signal.events(ad), 0) / exposure : 0
  return (ad) => {
    const value = signal.value(ad)
    if (value === null) return { percentile: mean, confidence: 0 }
    const sample = Math.max(signal.events(ad), signal.exposure(ad) * rate)
    return { percentile: percentileOf(value), confidence: sample / (sample + signal.halfAt) }
  }
}

/** A layer is the mean of its signals; each is drawn to the mean of the cohort as far as its sample is small. */
function standing(rankings: readonly Ranking[], ad: AdEvidence) {
  const signals = rankings.map((rank) => rank(ad))
  const average = (of: (signal: (typeof signals)[number]) => number) =>
    signals.reduce((sum, signal) => sum + of(signal), 0) / signals.length
  return {
    percentile: average(({ percentile }) => percentile),
    confidence: average(({ confidence }) => confidence),
    shrunk: average(({ percentile, confidence }) => mean + confidence * (percentile - mean)),
  }
}

type Standing = ReturnType<typeof standing> & { layer: Layer; weight: number }

/** What moved the score most comes first. */
const reasons = (standings: Standing[]): ReasonCode[] =>
  standings
    .filter(({ percentile, confidence }) => confidence > 0 && (percentile >= strongFrom || percentile <= weakTo))
    .sort((a, b) => b.weight * Math.abs(b.shrunk - mean) - a.weight * Math.abs(a.shrunk - mean))
    .map(({ layer, percentile, confidence }) => ({
      layer,
      polarity: percentile >= strongFrom ? 'strength' : 'weakness',
      percentile: rounded(percentile, 1),
      sampleConfidence: confidence < 1 / 3 ? 'low' : confidence < 2 / 3 ? 'medium' : 'high',
    }))

function byName(a: AdEvidence, b: AdEvidence): number {
  const [left, right] = [`${a.adExternalId}\n${a.channel}`, `${b.adExternalId}\n${b.channel}`]
  return left < right ? -1 : left > right ? 1 : 0
}

const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals
