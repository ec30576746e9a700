import { cleanText } from './text.ts'

/** What somebody typed to find a customer, as patterns for LIKE. */
export interface SearchTerm {
  /** As typed, trimmed. */
  text: string
  /** One a word, for a name in which each word has a space before it; short words are beginnings only. */
  namePatterns: string[]
  /**
   * A part of an e-mail, or its beginning: without a % in front the shortest terms stay cheap. Null when it cannot be one.
   */
  emailPattern: string | null
  /** What a mistyped e-mail is compared by: domains are too common to tell anything. Null when it is too short. */
  nearEmail: string | null
  /** What a mistyped name is compared by. Null for what is plainly no name, but an address or a number. */
  nearName: string | null
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
  const words = wordsOf(text)
  if (words.length === 0) return null
  const [address] = words.length === 1 ? words : []
  return {
    text,
    namePatterns: wordsOf(withoutAccents(text)).slice(0, mostWords).map(namePattern),
    emailPattern: address ? emailPattern(address) : null,
    nearEmail: address ? nearEmail(address) : null,
    nearName: /[\d@_]|\w\.\w/.test(text) ? null : text,
    phonePattern: phonePattern(text),
  }
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '')

/** As names are compared; an accent that stood by itself leaves a space. */
const withoutAccents = (text: string) => text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')

function emailPattern(word: string): string {
  const email = escapePattern(word.toLowerCase())
  return word.length < shortestInfix ? `${email}%` : `%${email}%`
}

/** The part before the @. */
function nearEmail(word: string): string | null {
  const [local = ''] = word.toLowerCase().split('@')
  return local.length < shortestNear ? null : local
}

const namePattern = (word: string) => `%${word.length < shortestInfix ? ' ' : ''}${escapePattern(word)}%`

/** Stored phones are E.164: a trunk zero or an international 00 is dropped, and every sign but digits. */
function phonePattern(text: string): string | null {
  if (!/^[+\d\s().\-/]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < fewestDigits ? null : `%${digits}%`
}

const escapePattern = (text: string) => text.replace(/[\\%_]/g, '\\$&')
