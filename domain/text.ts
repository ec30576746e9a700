import { normalise } from './identifiers.ts'

/** Free text that is safe to store: well-formed, without control characters, trimmed, cut to a length. */
export function cleanText(text: string, maxLength: number): string {
  const clean = text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  return clean.length > maxLength ? clean.slice(0, maxLength).toWellFormed() : clean
}

// One sign on either end says as much as all of them; a pattern that begins with any number would start anew at each.
const emailLike = /[^\s@/]@[^\s@/]+\.[^\s@/]{2}/
export const hasEmail = (text: string): boolean => text.includes('@') && emailLike.test(text)

const dialledNumber = /^\+(?:[().-]*\d){7,15}$/
const chileanMobile = /^569\d{8}$/
const rutLike = /^\d{1,2}\.?\d{3}\.?\d{3}-[\dk]$/i

const isPersonal = (word: string): boolean =>
  dialledNumber.test(word) || chileanMobile.test(word) || (rutLike.test(word) && normalise('national_id', word).ok)

/**
 * Whether a name of something holds an e-mail address, a phone or a national id. Any other long number may be an order's or
 * a campaign's, so it passes.
 */
export const hasPerson = (name: string): boolean =>
  hasEmail(name) || (/\d{3}/.test(name) && name.split(/[\s,;:|/=]+/).some(isPersonal))
