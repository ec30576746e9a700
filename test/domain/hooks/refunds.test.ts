import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refundedMinor, type ToldRefunds, withRefund } from '../../../domain/hooks/refunds.ts'

test('the larger of what the payment says and what its refunds add up to counts; disputes come on top', () => {
  const refunds = { 'r/1': { asOf: 1, minor: 300 }, 'r/2': { asOf: 2, minor: 200 }, 'd/1': { asOf: 3, minor: 50 } }
  expect(refundedMinor(0, refunds)).toBe(550)
  expect(refundedMinor(400, refunds)).toBe(550)
  expect(refundedMinor(600, refunds)).toBe(650)
})

test('any order of the same tellings ends in the same refunds', () => {
  const telling = fc.record({
    id: fc.constantFrom('r/1', 'r/2', 'd/1'),
    asOf: fc.integer({ min: 0, max: 4 }),
    minor: fc.integer({ min: 0, max: 5 }),
  })
  const end = (tellings: { id: string; asOf: number; minor: number }[]) =>
    tellings.reduce<ToldRefunds>((refunds, { id, ...told }) => withRefund(refunds, id, told), {})
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
