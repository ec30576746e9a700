import { describe, expect, it } from 'vitest'
import { cohortsOf, smallestCohort } from '../../../domain/performers/cohorts.ts'
import { ad, several } from './ads.ts'

const cohortOf = (ads: ReturnType<typeof several>, id: string) => {
  const cohort = cohortsOf(ads).find(({ compared }) => compared.some(({ adExternalId }) => adExternalId === id))!
  return { key: cohort.key, size: cohort.members.length }
}

describe('cohorts', () => {
  it('compare an ad with its exact like where there are enough of them', () => {
    const ads = [...several(smallestCohort, 'a'), ...several(smallestCohort, 'b', { placement: 'story' })]
    expect(cohortOf(ads, 'a0')).toEqual({ key: 'meta|static|sales|cold|cl|feed', size: smallestCohort })
    expect(cohortOf(ads, 'b0')).toEqual({ key: 'meta|static|sales|cold|cl|story', size: smallestCohort })
  })

  it.each([
    ['placement', { placement: 'story' }, 'meta|static|sales|cold|cl|any'],
    ['then geo', { placement: 'story', geo: 'pe' }, 'meta|static|sales|cold|any|any'],
    ['then audience warmth', { geo: 'pe', audienceWarmth: 'hot' }, 'meta|static|sales|any|any|any'],
    ['then format', { audienceWarmth: 'hot', format: 'carousel' }, 'meta|any|sales|any|any|any'],
    ['then objective', { format: 'carousel', objective: 'leads' }, 'meta|any|any|any|any|any'],
    ['then channel', { channel: 'google', objective: 'leads' }, 'any|any|any|any|any|any'],
  ])('give up %s when they are too small', (_, parts, key) => {
    const ads = [...several(smallestCohort - 1, 'a'), ad('lonely', parts)]
    expect(cohortOf(ads, 'lonely')).toEqual({ key, size: smallestCohort })
  })

  it('count the ads of a wider cohort that have a narrower one of their own', () => {
    const ads = [...several(smallestCohort, 'a'), ad('lonely', { placement: 'story' })]
    expect(cohortOf(ads, 'a0').size).toBe(smallestCohort)
    expect(cohortOf(ads, 'lonely')).toEqual({ key: 'meta|static|sales|cold|cl|any', size: smallestCohort + 1 })
  })

  it('take in the ads of an account that is too small for any', () => {
    expect(cohortsOf(several(2, 'a'))).toMatchObject([{ key: 'any|any|any|any|any|any', compared: [{}, {}] }])
    expect(cohortsOf([])).toEqual([])
  })

  it('hold each ad once', () => {
    const ads = [...several(9, 'a'), ...several(3, 'b', { geo: 'pe' }), ...several(2, 'c', { channel: 'google' })]
    const compared = cohortsOf(ads).flatMap((cohort) => cohort.compared)
    expect(compared).toHaveLength(ads.length)
    expect(new Set(compared).size).toBe(ads.length)
  })
})
