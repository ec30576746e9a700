import { describe, expect, it } from 'vitest'
import { packProfiles } from '../../../processors/attribution/pack-profiles.ts'

const sizes = (...all: [string, number][]) => all.map(([profile_id, subjects]) => ({ profile_id, subjects }))

describe('packProfiles', () => {
  it.each([
    ['nothing to do', sizes(), []],
    ['small profiles share a run', sizes(['a', 3], ['b', 7]), [{ profiles: ['a', 'b'], slices: 1 }]],
    [
      'a full run starts the next',
      sizes(['a', 6], ['b', 6]),
      [
        { profiles: ['a'], slices: 1 },
        { profiles: ['b'], slices: 1 },
      ],
    ],
    [
      'a large profile is sliced, the others go on sharing',
      sizes(['a', 3], ['big', 25], ['b', 3]),
      [
        { profiles: ['big'], slices: 3 },
        { profiles: ['a', 'b'], slices: 1 },
      ],
    ],
  ])('%s', (_name, given, expected) => {
    expect(packProfiles(given, 10)).toEqual(expected)
  })
})
