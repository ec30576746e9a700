import { accept, type Checked, refuse } from './checked.ts'
import { minorUnitsOf } from './currencies.ts'

export type MoneyReason = 'invalid_amount' | 'unknown_currency' | 'negative_amount' | 'amount_too_large'

const decimal = /^([+-]?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i
const maxText = 64
/** The largest whole number that a message can carry: the codec wants one that has a neighbour. */
export const largestMinor = Number.MAX_SAFE_INTEGER - 1
const maxMinor = BigInt(largestMinor)

/**
 * Minor units from the decimal notation, digit by digit: 1.005 × 100 in floating point is 100.49999…
 * More decimals than the currency has are rounded half away from zero, or refused where the amount must be exact.
 */
export function toMinor(
  value: number | string,
  currency: string,
  options: { allowNegative?: boolean; isExact?: boolean } = {},
): Checked<number, MoneyReason> {
  const units = minorUnitsOf(currency)
  if (units === undefined) return refuse('unknown_currency')
  const text = String(value).trim()
  const match = text.length <= maxText ? decimal.exec(text) : null
  if (!match) return refuse('invalid_amount')
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  // The decimal point moves right by the exponent and the currency's units; what stays behind it is rounded.
  const point = whole.length + Number(exponent) + units
  const digits = whole + fraction
  if (point > maxText + digits.length) return isZero(digits) ? accept(0) : refuse('amount_too_large')
  const kept = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  if (options.isExact && !isZero(digits.slice(Math.max(0, point)))) return refuse('invalid_amount')
  const isRoundedUp = point >= 0 && Number(digits[point] ?? '0') >= 5
  const minor = BigInt(kept) + (isRoundedUp ? 1n : 0n)
  if (minor > maxMinor) return refuse('amount_too_large')
  if (sign !== '-' || minor === 0n) return accept(Number(minor))
  return options.allowNegative ? accept(-Number(minor)) : refuse('negative_amount')
}

const isZero = (digits: string) => /^0*$/.test(digits)

/** The exact decimal text, always with the currency's own number of decimals. */
export function fromMinor(minor: bigint | number, currency: string): string {
  const units = minorUnitsOf(currency)
  if (units === undefined) throw new RangeError(`unknown currency ${currency}`)
  const amount = BigInt(minor)
  const digits = (amount < 0n ? -amount : amount).toString().padStart(units + 1, '0')
  const sign = amount < 0n ? '-' : ''
  return units === 0 ? sign + digits : `${sign}${digits.slice(0, -units)}.${digits.slice(-units)}`
}

/** The same amount as a JSON number: the nearest double of the exact decimal. */
export const fromMinorAsNumber = (minor: bigint | number, currency: string): number =>
  Number(fromMinor(minor, currency))
