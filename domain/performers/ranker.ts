import type { AdEvidence } from './evidence.ts'

/** A learned ranker. It takes the rules' place only after it has beaten them on days that it was not trained on. */
export interface Ranker {
  version: number
  /** Probability, 0 to 1, that the ad is a top performer. */
  likelihood: (ad: AdEvidence) => number
}

/** A day that neither ranker has seen: what each said of every ad before it, and what the ad then brought. */
export interface HeldOutDay {
  day: string
  ads: { byRules: number; byModel: number; gain: number }[]
}

export interface Comparison {
  /** Days with something to rank: two ads or more, of which one brought something. */
  days: number
  wins: number
  losses: number
  /** Mean NDCG of the first ten. */
  rules: number
  model: number
  isBetter: boolean
}

const shown = 10
const fewestDays = 14
const significance = 0.05

/** Better is: a higher mean over at least two weeks, and more days won than chance would give once in twenty times. */
export function compareOnHeldOut(heldOut: readonly HeldOutDay[]): Comparison {
  const ranked = heldOut
    .filter(({ ads }) => ads.length > 1 && ads.some(({ gain }) => gain > 0))
    .map(({ ads }) => ({
      rules: ndcg(ads.map(({ byRules, gain }) => ({ score: byRules, gain }))),
      model: ndcg(ads.map(({ byModel, gain }) => ({ score: byModel, gain }))),
    }))
  const meanOf = (of: 'rules' | 'model') =>
    ranked.length === 0 ? 0 : ranked.reduce((sum, day) => sum + day[of], 0) / ranked.length
  const wins = ranked.filter(({ rules, model }) => model > rules).length
  const losses = ranked.filter(({ rules, model }) => model < rules).length
  const [rules, model] = [meanOf('rules'), meanOf('model')]
  return {
    days: ranked.length,
    wins,
    losses,
    rules,
    model,
    isBetter: ranked.length >= fewestDays && model > rules && chanceOfWinning(wins, losses) < significance,
  }
}

/** The ranker to score with: the learned one if it has proved better, else none, which leaves the rules. */
export const provenRanker = (ranker: Ranker, heldOut: readonly HeldOutDay[]): Ranker | undefined =>
  compareOnHeldOut(heldOut).isBetter ? ranker : undefined

interface Ranked {
  score: number
  gain: number
}

/** How near the order by score comes to the best possible one, 0 to 1. Equal scores share their places. */
function ndcg(ads: Ranked[]): number {
  const best = dcg(ads.map(({ gain }) => ({ score: gain, gain })))
  return best === 0 ? 0 : dcg(ads) / best
}

function dcg(ads: Ranked[]): number {
  const groups = [...Map.groupBy(ads, ({ score }) => score)].sort(([a], [b]) => b - a)
  let place = 0
  let sum = 0
  for (const [, group] of groups) {
    const gain = group.reduce((total, ad) => total + Math.max(0, ad.gain), 0) / group.length
    for (const _ of group) {
      if (place < shown) sum += gain / Math.log2(place + 2)
      place++
    }
  }
  return sum
}

/** Sign test: the chance of at least so many wins if each day were a toss. */
function chanceOfWinning(wins: number, losses: number): number {
  const tosses = wins + losses
  let ways = 1
  let chance = 0
  for (let k = tosses; k >= wins; k--) {
    chance += ways * 0.5 ** tosses
    ways = (ways * k) / (tosses - k + 1)
  }
  return chance
}
