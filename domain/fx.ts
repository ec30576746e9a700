import { accept, type Checked, refuse } from './checked.ts'
import { minorUnitsOf } from './currencies.ts'

export type FxReason = 'unknown_currency' | 'same_currency' | 'invalid_rate'

const decimal = /^\d{1,12}(\.\d{1,18})?$/
const scale = 12
/** What a rate is counted in. */
export const rateUnit = 10n ** BigInt(scale)
/** A day without a rate takes the newest of so many days before; without one an amount stays out of money sums. */
export const oldestRateDays = 7

/** Minor units of quote for one minor unit of base, times 10^12: an amount is converted by one integer division. */
export function minorRate(rate: string, base: string, quote: string): Checked<bigint, FxReason> {
  const [from, to] = [minorUnitsOf(base), minorUnitsOf(quote)]
  if (from === undefined || to === undefined) return refuse('unknown_currency')
  if (base === quote) return refuse('same_currency')
  if (!decimal.test(rate)) return refuse('invalid_rate')
  const [whole, fraction = ''] = rate.split('.')
  const digits = BigInt(whole! + fraction)
  const shift = scale + to - from - fraction.length
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divideRounded(digits, 10n ** BigInt(-shift))
  return scaled > 0n ? accept(scaled) : refuse('invalid_rate')
}

/** The rate the other way round, to 18 decimals: what a table that names only one direction leaves to be worked out. */
export function inverseRate(rate: string): string {
  const [whole, fraction = ''] = rate.split('.')
  const digits = BigInt(whole! + fraction)
  const inverse = divideRounded(10n ** BigInt(18 + fraction.length), digits)
    .toString()
    .padStart(19, '0')
  return `${inverse.slice(0, -18)}.${inverse.slice(-18)}`.replace(/\.?0+$/, '')
}

/** An amount at a rate of `minorRate`. */
export const atRate = (minor: bigint, rate: bigint): bigint => divideRounded(minor * rate, rateUnit)

const divideRounded = (value: bigint, by: bigint): bigint => (value + by / 2n) / by
