import { describe, expect, it } from 'vitest'
import { compareOnHeldOut, type HeldOutDay, provenRanker } from '../../../domain/performers/ranker.ts'

/** Ten ads of which the first brought most; how each ranker placed them. */
const day = (at: number, byModel: number[], byRules: number[]): HeldOutDay => ({
  day: `2026-10-${String(at + 1).padStart(2, '0')}`,
  ads: byModel.map((score, ad) => ({ byModel: score, byRules: byRules[ad]!, gain: ad === 0 ? 10 : 1 })),
})
const right = [9, 5, 4, 3]
const wrong = [1, 5, 4, 3]
const ranker = { version: 2, likelihood: () => 0.5 }

describe('a learned ranker', () => {
  it('takes over after it has won on enough days that it had not seen', () => {
    const days = Array.from({ length: 14 }, (_, at) => day(at, right, wrong))
    expect(compareOnHeldOut(days)).toMatchObject({ days: 14, wins: 14, losses: 0, model: 1, isBetter: true })
    expect(provenRanker(ranker, days)).toBe(ranker)
  })

  it.each([
    ['too few days', Array.from({ length: 13 }, (_, at) => day(at, right, wrong))],
    ['no difference', Array.from({ length: 30 }, (_, at) => day(at, right, right))],
    [
      'as many days lost',
      Array.from({ length: 30 }, (_, at) => (at % 2 ? day(at, right, wrong) : day(at, wrong, right))),
    ],
    // 13 of 20 tosses or more fall on one side once in eight times.
    [
      'no more than luck',
      Array.from({ length: 20 }, (_, at) => (at < 13 ? day(at, right, wrong) : day(at, wrong, right))),
    ],
    ['nothing to rank', Array.from({ length: 30 }, (_, at) => ({ day: String(at), ads: [] }))],
  ])('stays out with %s', (_, days) => {
    expect(compareOnHeldOut(days).isBetter).toBe(false)
    expect(provenRanker(ranker, days)).toBeUndefined()
  })

  it('gains nothing from scores that are all the same', () => {
    const { model, rules } = compareOnHeldOut([day(0, [1, 1, 1, 1], [3, 3, 3, 3])])
    expect(model).toBe(rules)
    expect(model).toBeLessThan(1)
  })
})
