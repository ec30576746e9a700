import { describe, expect, it } from 'vitest'
import { atRate, inverseRate, minorRate } from '../../domain/fx.ts'

const convert = (minor: bigint, rate: string, base: string, quote: string) => {
  const checked = minorRate(rate, base, quote)
  return checked.ok ? atRate(minor, checked.value) : checked.reason
}

describe('rates between minor units', () => {
  it.each([
    [950_000n, '0.00105', 'CLP', 'USD', 99_750n, 'pesos have no cents, dollars have'],
    [10_000n, '950', 'USD', 'CLP', 95_000n, 'a hundred dollars'],
    [10_000n, '1.1', 'EUR', 'USD', 11_000n, 'both with cents'],
    [1_500n, '3.25', 'KWD', 'USD', 488n, 'fils are thousandths; half a cent is rounded up'],
    [9_007_199_254_740_991n, '1', 'USD', 'EUR', 9_007_199_254_740_991n, 'the largest amount'],
    [1n, '0', 'USD', 'EUR', 'invalid_rate', 'nothing is worth nothing'],
    [1n, '-1', 'USD', 'EUR', 'invalid_rate', 'below nothing'],
    [1n, '1e3', 'USD', 'EUR', 'invalid_rate', 'not a plain decimal'],
    [1n, '1', 'USD', 'XXZ', 'unknown_currency', 'a currency that does not exist'],
    [1n, '1', 'USD', 'USD', 'same_currency', 'to itself'],
  ] as [bigint, string, string, string, bigint | string, string][])(
    '%s at %s from %s to %s is %s: %s',
    (minor, rate, base, quote, expected, _why) => {
      expect(convert(minor, rate, base, quote)).toBe(expected)
    },
  )

  it.each([
    ['950', '0.001052631578947368'],
    ['0.5', '2'],
    ['1', '1'],
    ['3', '0.333333333333333333'],
  ])('the inverse of %s is %s', (rate, expected) => {
    expect(inverseRate(rate)).toBe(expected)
  })
})
