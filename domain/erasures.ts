import { createHash } from 'node:crypto'
import { identifierTypes } from '../schemas/messages.ts'
import type { CustomerSelector } from './customer-selectors.ts'
import { normalise } from './identifiers.ts'
import { deriveKey, hmacIdentifier, keyLabels, open, seal, vaultKeys } from './sealing.ts'

export const erasureReasons = ['data_subject_request', 'account_closed', 'other'] as const
export type ErasureReason = (typeof erasureReasons)[number]

/** SPEC 8: up to 200 letters, digits and `. _ : -`. */
export const requestRefShape = /^[A-Za-z0-9._:-]{1,200}$/

/** What the background looks for after an erasure. It is personal, and is kept sealed until nothing was found. */
export interface ErasedPerson {
  customerIds: string[]
  tokens: string[]
  identifiers: CustomerSelector[]
}

/** What an erasure needs of the root secret. */
export interface ErasureSecrets {
  /** The vault's own hash of a value. */
  vaultHash(profileId: string, selector: CustomerSelector): Buffer
  /** A hash that only receipts hold, so that it leads nowhere else. */
  selectorHash(profileId: string, selector: CustomerSelector): Buffer
  sealSearch(erasureId: string, person: ErasedPerson): Buffer
  openSearch(erasureId: string, sealed: Buffer): ErasedPerson
}

export function erasureSecrets(rootSecret: Buffer): ErasureSecrets {
  const { identifierHmac } = vaultKeys(rootSecret)
  const selectorKey = deriveKey(rootSecret, keyLabels.erasureSelector)
  const searchKey = deriveKey(rootSecret, keyLabels.erasureSearch)
  return {
    vaultHash: (profileId, { type, value }) => hmacIdentifier(identifierHmac, profileId, type, value),
    selectorHash: (profileId, { type, value }) => hmacIdentifier(selectorKey, profileId, type, value),
    sealSearch: (erasureId, person) => seal(searchKey, erasureId, JSON.stringify(person)),
    openSearch: (erasureId, sealed) => JSON.parse(open(searchKey, erasureId, sealed).toString('utf8')),
  }
}

/** Ids without a shape are told from other numbers and words only when they are long. */
const recognisable = 10

/** The ways in which an identifier may stand in a text: as it is, as it is often written, and hashed as platforms do. */
export function writtenForms({ type, value }: CustomerSelector): string[] {
  const plain = plainForms({ type, value })
  const isShown = plain.length > 1 || value.length >= recognisable
  const hashes = plain.flatMap((form) => ['sha256', 'sha1', 'md5'].map((name) => hashOf(name, form)))
  return [...new Set([...(isShown ? plain : []), ...hashes])]
}

const hashOf = (name: string, form: string) => createHash(name).update(form).digest('hex')

function plainForms({ type, value }: CustomerSelector): string[] {
  switch (type) {
    case 'email':
      return [value, encodeURIComponent(value)]
    case 'phone':
      return [value, value.slice(1), encodeURIComponent(value)]
    case 'national_id':
      return [value, value.replace(/\B(?=(\d{3})+-)/g, '.')]
    default:
      return [value]
  }
}

/** What is written like it, of any type: one customer's key may be another's e-mail address. */
export const writtenAlike = (identifier: CustomerSelector): CustomerSelector[] =>
  [...plainForms(identifier), `+${identifier.value}`].flatMap((form) =>
    identifierTypes.flatMap((type) => {
      const normalised = normalise(type, form)
      return normalised.ok ? { type, value: normalised.value } : []
    }),
  )

/** The digests of an identifier as bytes. */
export const hashedForms = ({ type, value }: CustomerSelector): Buffer[] =>
  plainForms({ type, value }).map((form) => createHash('sha256').update(form).digest())

/**
 * A text falls into words at what no identifier contains, and at the escapes of an address except those of @ and +; a longer
 * word is another word.
 */
const word = /%(?!40|2b)[0-9a-f]{2}|(?:(?!%(?!40|2b)[0-9a-f]{2})[0-9a-z_.%+@-])+/gi
const signsAround = /^[_.%+-]+|[_.%+-]+$/g
/** An address writes a blank as +, which is part of a word in e-mail addresses alone. */
const isAddress = /@|%40/

export interface WordFinder {
  /** Whether a text holds one of the words, in any case. */
  isFound(text: string): boolean
  /** The text with a mark in the place of each of them: it stays a text, so that what is tagged stays tagged. */
  withoutWords(text: string): string
}

/** Whether a ref names the customer, by anything but the key: of that the receipt tells anyway (SPEC 2.5a). */
export const namesCustomer = (requestRef: string, identifiers: readonly CustomerSelector[]): boolean =>
  wordFinder(identifiers.filter(({ type }) => type !== 'external_customer_id').flatMap(writtenForms)).isFound(
    requestRef,
  )

const erasedMark = '[erased]'

/** Takes as long for a thousand words as for one. */
export function wordFinder(words: readonly string[]): WordFinder {
  const sought = new Set(words.map((one) => one.toLowerCase()))
  const isSought = (found: string) => sought.has(found) || sought.has(found.replace(signsAround, ''))
  const partsOf = (found: string) => (found.includes('+') && !isAddress.test(found) ? found.split('+') : [])
  const isFound = (text: string) => {
    for (const [found] of text.toLowerCase().matchAll(word)) {
      if (isSought(found) || partsOf(found).some(isSought)) return true
    }
    return false
  }
  const mark = (found: string): string => (isSought(found.toLowerCase()) ? erasedMark : found)
  return {
    isFound,
    withoutWords(text) {
      const rest = text.replace(word, (found) => {
        const parts = mark(found) === found ? partsOf(found) : []
        return parts.length > 0 ? parts.map(mark).join('+') : mark(found)
      })
      // A few letters become others in lower case: where words cannot be told apart nothing is kept.
      return isFound(rest) ? erasedMark : rest
    },
  }
}
