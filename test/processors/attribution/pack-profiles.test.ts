import { describe, expect, it } from 'vitest'
import { packProfiles } from '../../../processors/attribution/pack-profiles.ts'

const sizes = (...all: [string, number, number?][]) =>
  all.map(([profile_id, subjects, touches = 0]) => ({ profile_id, subjects, touches }))

describe('packProfiles', () => {
  it.each([
    ['nothing to do', sizes(), []],
    ['small profiles share a run', sizes(['a', 3], ['b', 2]), [{ profiles: ['a', 'b'], runs: 1, slices: 1 }]],
    [
      'a full run starts the next',
      sizes(['a', 5], ['b', 6]),
      [
        { profiles: ['a'], runs: 1, slices: 1 },
        { profiles: ['b'], runs: 1, slices: 2 },
      ],
    ],
    [
      'a large profile has runs of its own, the others go on sharing',
      sizes(['a', 2], ['big', 25], ['b', 3]),
      [
        { profiles: ['big'], runs: 3, slices: 2 },
        { profiles: ['a', 'b'], runs: 1, slices: 1 },
      ],
    ],
    [
      'many touches of few subjects are cut as well, by what a run has of them',
      sizes(['a', 2, 450], ['big', 20, 1000]),
      [
        { profiles: ['big'], runs: 2, slices: 5 },
        { profiles: ['a'], runs: 1, slices: 5 },
      ],
    ],
  ])('%s', (_name, given, expected) => {
    expect(packProfiles(given, { subjectsPerRun: 10, subjectsPerSlice: 5, touchesPerSlice: 100 })).toEqual(expected)
  })
})
