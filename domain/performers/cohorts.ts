import type { AdEvidence } from './evidence.ts'

type Dimension = 'channel' | 'format' | 'objective' | 'audienceWarmth' | 'geo' | 'placement'

const dimensions: readonly Dimension[] = ['channel', 'format', 'objective', 'audienceWarmth', 'geo', 'placement']

/** What a cohort that is too small gives up first, and next; the last one holds every ad of the profile. */
const givenUp: readonly Dimension[] = ['placement', 'geo', 'audienceWarmth', 'format', 'objective', 'channel']

/** Fewer ads than this say nothing about how an ad of their kind does. */
export const smallestCohort = 8

/** Stands for every value of a dimension that the cohort no longer looks at. */
const any = 'any'

export interface Cohort<Ad extends AdEvidence> {
  /** channel|format|objective|audience warmth|geo|placement */
  key: string
  format: string
  objective: string
  audienceWarmth: string
  /** All ads of the kind, those included that are compared within a narrower one. */
  members: Ad[]
  /** Those that are compared here: no narrower cohort of theirs is large enough. */
  compared: Ad[]
}

/** Puts each ad into the narrowest cohort that is large enough; the widest one takes whoever is left. */
export function cohortsOf<Ad extends AdEvidence>(ads: readonly Ad[]): Cohort<Ad>[] {
  const cohorts: Cohort<Ad>[] = []
  const left = new Set(ads)
  for (let width = 0; width <= givenUp.length && left.size > 0; width++) {
    const dropped = new Set(givenUp.slice(0, width))
    const isWidest = width === givenUp.length
    const groups = Map.groupBy(ads, (ad) => keyOf(ad, dropped))
    for (const [key, members] of groups) {
      if (members.length < smallestCohort && !isWidest) continue
      const compared = members.filter((ad) => left.has(ad))
      if (compared.length === 0) continue
      for (const ad of compared) left.delete(ad)
      const seen = (dimension: Dimension) => (dropped.has(dimension) ? any : members[0]![dimension])
      cohorts.push({
        key,
        format: seen('format'),
        objective: seen('objective'),
        audienceWarmth: seen('audienceWarmth'),
        members,
        compared,
      })
    }
  }
  return cohorts
}

const keyOf = (ad: AdEvidence, dropped: ReadonlySet<Dimension>) =>
  dimensions.map((dimension) => (dropped.has(dimension) ? any : ad[dimension])).join('|')
