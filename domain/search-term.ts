import { cleanText } from './text.ts'

/** What somebody typed to find a customer, as patterns for LIKE. */
export interface SearchTerm {
  /** As typed, trimmed. */
  text: string
  /** One a word, for a name in which each word has a space before it; short words are beginnings only. */
  namePatterns: string[]
  /** A part of an e-mail, or its beginning: without a % in front the shortest terms stay cheap. */
  emailPattern: string
  /** What a mistyped e-mail is compared by: domains are too common to tell anything. Null when it is too short. */
  nearEmail: string | null
  /** The digits of a phone in any notation; null when it cannot be one. */
  phonePattern: string | null
}

const longest = 200
const mostWords = 6
const shortestInfix = 3
const fewestDigits = 4
const shortestNear = 4

/** Null when there is nothing to look for. */
export function parseSearchTerm(typed: string): SearchTerm | null {
  const text = cleanText(typed, longest)
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return null
  const email = escapePattern(text.toLowerCase())
  return {
    text,
    namePatterns: words.slice(0, mostWords).map(namePattern),
    emailPattern: text.length < shortestInfix ? `${email}%` : `%${email}%`,
    nearEmail: nearEmail(text),
    phonePattern: phonePattern(text),
  }
}

/** The part before the @, of a text that can be an address. */
function nearEmail(text: string): string | null {
  const [local = ''] = text.toLowerCase().split('@')
  return /\s/.test(text) || local.length < shortestNear ? null : local
}

const namePattern = (word: string) => `%${word.length < shortestInfix ? ' ' : ''}${escapePattern(word)}%`

/** Stored phones are E.164: a trunk zero or an international 00 is dropped, and every sign but digits. */
function phonePattern(text: string): string | null {
  if (!/^[+\d\s().\-/]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < fewestDigits ? null : `%${digits}%`
}

const escapePattern = (text: string) => text.replace(/[\\%_]/g, '\\$&')
