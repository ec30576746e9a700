import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refundedMinor, type ToldRefund, type ToldRefunds, withRefund } from '../../../domain/hooks/refunds.ts'
import { largestMinor } from '../../../domain/money.ts'

test('the larger of what the payment says and what its refunds add up to counts; disputes come on top', () => {
  const refunds = { 'r/1': { asOf: 1, minor: 300 }, 'r/2': { asOf: 2, minor: 200 }, 'd/1': { asOf: 3, minor: 50 } }
  expect(refundedMinor({ minor: 0, asOf: 0 }, refunds)).toBe(550)
  expect(refundedMinor({ minor: 400, asOf: 0 }, refunds)).toBe(550)
  expect(refundedMinor({ minor: 600, asOf: 0 }, refunds)).toBe(650)
})

test('a refund that failed is in the sum of a payment that told it between its beginning and its failure', () => {
  const refunds = { 'r/1': { asOf: 5, minor: 0, failed: { minor: 300, since: 2 } }, 'r/2': { asOf: 1, minor: 200 } }
  expect(refundedMinor({ minor: 200, asOf: 1 }, refunds)).toBe(200)
  expect(refundedMinor({ minor: 500, asOf: 2 }, refunds)).toBe(200)
  expect(refundedMinor({ minor: 500, asOf: 4 }, refunds)).toBe(200)
  expect(refundedMinor({ minor: 250, asOf: 5 }, refunds)).toBe(250)
})

test('a refund that fails in the second it was made is none, also in the sum that its payment told in that second', () => {
  const made = { asOf: 5, minor: 300 }
  const failed = { asOf: 5, minor: 0, failed: { minor: 300, since: 5 } }
  for (const [first, second] of [
    [made, failed],
    [failed, made],
  ] as const) {
    const refunds = withRefund(withRefund({}, 'r/1', first), 'r/1', second)
    expect(refunds).toEqual({ 'r/1': failed })
    expect(refundedMinor({ minor: 0, asOf: 4 }, refunds)).toBe(0)
    expect(refundedMinor({ minor: 300, asOf: 5 }, refunds)).toBe(0)
    const another = { asOf: 3, minor: 200 }
    expect(refundedMinor({ minor: 500, asOf: 5 }, { ...refunds, 'r/2': another })).toBe(200)
    expect(refundedMinor({ minor: 200, asOf: 5 }, { ...refunds, 'r/2': another })).toBe(200)
  }
})

test('what was never taken is no refund, told on its own or not', () => {
  const released = { 'u/': { asOf: 1, minor: 3_000 } }
  expect(refundedMinor({ minor: 0, asOf: 1 }, released)).toBe(0)
  expect(refundedMinor({ minor: 0, asOf: 1 }, { ...released, 'r/auto': { asOf: 1, minor: 3_000 } })).toBe(0)
  const later = { 'r/auto': { asOf: 1, minor: 3_000 }, 'r/1': { asOf: 2, minor: 500 } }
  expect(refundedMinor({ minor: 0, asOf: 1 }, { ...released, ...later })).toBe(500)
})

test('no sum is larger than an amount can be', () => {
  const largest = { asOf: 1, minor: largestMinor }
  const refunds = { 'r/1': largest, 'r/2': largest, 'd/1': largest }
  expect(refundedMinor({ minor: 0, asOf: 0 }, refunds)).toBe(largestMinor)
})

test('any order of the same tellings ends in the same refunds', () => {
  const telling = fc.record({
    id: fc.constantFrom('r/1', 'r/2', 'd/1'),
    asOf: fc.integer({ min: 0, max: 4 }),
    told: fc.oneof(
      fc.record({ minor: fc.integer({ min: 0, max: 5 }) }),
      fc.constant({ minor: 0, failed: { minor: 3, since: 0 } }),
    ),
  })
  const end = (tellings: { id: string; asOf: number; told: Omit<ToldRefund, 'asOf'> }[]) =>
    tellings.reduce<ToldRefunds>((refunds, { id, asOf, told }) => withRefund(refunds, id, { asOf, ...told }), {})
  fc.assert(
    fc.property(
      fc
        .array(telling, { maxLength: 8 })
        .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([told, shuffled]) => {
        expect(end(shuffled)).toEqual(end(told))
      },
    ),
  )
})
