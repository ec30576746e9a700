import fc from 'fast-check'
import { expect, it } from 'vitest'
import { timestamp } from '../../../processors/facts/timestamp.ts'

const plain = (ms: number) => new Date(ms).toISOString().slice(0, 23).replace('T', ' ')
const times = fc.integer({ min: 0, max: Date.UTC(2299, 11, 31) })

it('says every time as the clock does, whatever it said before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(times, fc.array(fc.integer({ min: -3000, max: 3000 })))), (near) => {
      for (const [time, steps] of near) {
        for (const ms of [time, ...steps.map((step) => Math.max(0, time + step))]) expect(timestamp(ms)).toBe(plain(ms))
      }
    }),
  )
})

it('refuses what is no time, and goes on', () => {
  const before = timestamp(1_700_000_000_123)
  expect(() => timestamp(Number.NaN)).toThrow(RangeError)
  expect(timestamp(1_700_000_000_123)).toBe(before)
})
