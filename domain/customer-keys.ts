import { normalise } from './identifiers.ts'

/**
 * A caller's own key as those may see it who may not read persons: one that is an e-mail, a phone or a RUT is a person. So
 * is one that is a phone of the customer's without its country code; a plain number is otherwise taken for an id.
 */
export const impersonalKey = (key: string | null, phones: readonly string[] = []): string | null =>
  key === null || namesPerson(key) || isEndOfPhone(key, phones) ? null : key

const namesPerson = (key: string) =>
  (['email', 'phone', 'national_id'] as const).some((type) => normalise(type, key).ok)

/** Fewer digits are no number that reaches anybody. */
const fewestDigits = 7
const digitsAndPhoneSigns = /^[\d\s+().,/_‐-―-]*$/

function isEndOfPhone(key: string, phones: readonly string[]): boolean {
  if (!digitsAndPhoneSigns.test(key)) return false
  // Zeros in front are how a number is dialled at home or from abroad.
  const digits = key.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length >= fewestDigits && phones.some((phone) => phone.endsWith(digits))
}
