import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCurrency, minorUnitsOf } from '../../domain/currencies.ts'
import { fromMinor, fromMinorAsNumber, toMinor } from '../../domain/money.ts'

describe('an amount becomes exact minor units', () => {
  test.each([
    [19.99, 'USD', 1999],
    [1.005, 'USD', 101],
    [1.004, 'USD', 100],
    [0.285, 'EUR', 29],
    [1.15, 'EUR', 115],
    ['1234.5', 'USD', 123450],
    [1_250_000, 'CLP', 1_250_000],
    [1999.5, 'CLP', 2000],
    [12.3456, 'KWD', 12346],
    [37_512.1234, 'CLF', 375_121_234],
    [150.75, 'COP', 15075],
    [0, 'USD', 0],
    [-0, 'USD', 0],
    [1e21, 'CLP', undefined],
    [1e-7, 'USD', 0],
    [5e-3, 'USD', 1],
    ['1e2', 'USD', 10000],
    ['.5', 'USD', undefined],
    ['5.', 'USD', 500],
  ])('%s %s', (value, currency, minor) => {
    const result = toMinor(value, currency)
    expect(result.ok ? result.value : undefined).toBe(minor)
  })

  test.each([
    [Number.NaN, 'USD', 'invalid_amount'],
    [Number.POSITIVE_INFINITY, 'USD', 'invalid_amount'],
    ['1,50', 'USD', 'invalid_amount'],
    ['', 'USD', 'invalid_amount'],
    ['1'.repeat(65), 'USD', 'invalid_amount'],
    [-1, 'USD', 'negative_amount'],
    [1, 'XXX', 'unknown_currency'],
    [1, 'ZZZ', 'unknown_currency'],
    [1, 'usd', 'unknown_currency'],
    [90_071_992_547_409.92, 'USD', 'amount_too_large'],
    ['90071992547409.91', 'USD', 'amount_too_large'],
    ['1e300', 'USD', 'amount_too_large'],
  ])('%s %s is refused as %s', (value, currency, reason) => {
    expect(toMinor(value, currency)).toEqual({ ok: false, reason })
  })

  test.each([
    ['100.00', true],
    ['100.0000', true],
    ['1e2', true],
    ['100.004', false],
    ['0.004', false],
    ['1e-3', false],
  ])('%s USD to the cent, where it must be exact: %s', (value, isTaken) => {
    expect(toMinor(value, 'USD', { isExact: true }).ok).toBe(isTaken)
  })

  test('a negative amount is taken where told, rounded away from zero', () => {
    expect(toMinor(-1.005, 'USD', { allowNegative: true })).toEqual({ ok: true, value: -101 })
  })
})

describe('minor units become the exact decimal', () => {
  test.each([
    [1999, 'USD', '19.99'],
    [5, 'USD', '0.05'],
    [-5, 'USD', '-0.05'],
    [0, 'CLP', '0'],
    [1_250_000n, 'CLP', '1250000'],
    [12346, 'KWD', '12.346'],
    [9_223_372_036_854_775_807n, 'USD', '92233720368547758.07'],
  ])('%s %s is %s', (minor, currency, text) => {
    expect(fromMinor(minor, currency)).toBe(text)
  })

  test('and a number', () => {
    expect(fromMinorAsNumber(1999, 'USD')).toBe(19.99)
  })

  test('an unknown currency is a programming error', () => {
    expect(() => fromMinor(1, 'ZZZ')).toThrow(RangeError)
  })
})

test('there and back is the same amount, in every currency', () => {
  const currency = fc.constantFrom('USD', 'CLP', 'KWD', 'CLF')
  const largest = Number.MAX_SAFE_INTEGER - 1
  fc.assert(
    fc.property(fc.integer({ min: -largest, max: largest }), currency, (minor, code) => {
      expect(toMinor(fromMinor(minor, code), code, { allowNegative: true })).toEqual({ ok: true, value: minor || 0 })
    }),
  )
})

test.each([
  ['CLP', 0],
  ['JPY', 0],
  ['KRW', 0],
  ['PYG', 0],
  ['USD', 2],
  ['COP', 2],
  ['HUF', 2],
  ['IDR', 2],
  ['KWD', 3],
  ['TND', 3],
  ['CLF', 4],
])('%s has %i decimals by ISO 4217', (code, digits) => {
  expect(minorUnitsOf(code)).toBe(digits)
})

test('every currency that the runtime knows is known here, bar units that nobody pays in', () => {
  const missing = Intl.supportedValuesOf('currency').filter((code) => !isCurrency(code))
  expect(missing).toEqual(['XDR', 'XSU'])
})
