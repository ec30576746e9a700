import { domainToASCII } from 'node:url'
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { IdentifierType } from '../schemas/messages.ts'
import { accept, type Checked, refuse } from './checked.ts'

export type IdentifierReason =
  | 'invalid_email'
  | 'invalid_phone'
  | 'invalid_national_id'
  | 'invalid_external_id'
  /** A stand-in such as `null`, `guest` or `test@test.com`: it would join strangers. */
  | 'placeholder'

export type Normalised = Checked<string, IdentifierReason>

const maxInput = 1024
const maxExternalId = 200

/** The one spelling of an identifier: two spellings of one value must give one token. */
export function normalise(type: IdentifierType, value: string, hint: { country?: string | null } = {}): Normalised {
  if (value.length > maxInput) return refuse(reasonOf[type])
  const trimmed = value.trim()
  if (isPlaceholder(trimmed) || (hasShape.has(type) && oneCharacterRepeated.test(trimmed))) return refuse('placeholder')
  switch (type) {
    case 'email':
      return normaliseEmail(trimmed)
    case 'phone':
      return normalisePhone(trimmed, hint.country)
    case 'national_id':
      return normaliseRut(trimmed)
    default:
      return normaliseExternalId(trimmed)
  }
}

const reasonOf: Record<IdentifierType, IdentifierReason> = {
  email: 'invalid_email',
  phone: 'invalid_phone',
  national_id: 'invalid_national_id',
  external_customer_id: 'invalid_external_id',
  crm_contact_id: 'invalid_external_id',
  store_customer_id: 'invalid_external_id',
  payments_customer_id: 'invalid_external_id',
}

const placeholders = new Set(
  `null nil none undefined nan n/a na n.a. s/n sin unknown desconocido anonymous anonimo anónimo anon guest invitado
   visitor user usuario customer cliente test testing tester prueba example ejemplo default admin dummy fake
   true false yes no [object object] (not set) (none) {} [] - -- . ? x xx xxx xxxx sn nobody noreply no-reply void empty vacio vacío`
    .split(/\s+/)
    .concat(['[object object]', '(not set)', 'not set', 'sin datos', 'no tiene', 'no aplica', 'n / a']),
)
const unfilledTemplate = /^(\{\{.*\}\}|\{.*\}|%[a-z_]+%|\$\{.*\}|<.*>)$/i
const onlyZerosOrSigns = /^[\s0.,:;_+*#/()-]*$/
/** An id that counts up is 11111 one day, which is nothing to hold against it; an e-mail or a phone never is. */
const oneCharacterRepeated = /^(.)\1{4,}$/
const oneLetterRepeated = /^(\D)\1{4,}$/
const hasShape: ReadonlySet<IdentifierType> = new Set(['email', 'phone', 'national_id'])

function isPlaceholder(value: string): boolean {
  const lower = value.toLowerCase()
  return (
    placeholders.has(lower) ||
    onlyZerosOrSigns.test(lower) ||
    oneLetterRepeated.test(lower) ||
    unfilledTemplate.test(lower) ||
    /^0{8}-0{4}-0{4}-0{4}-0{12}$/.test(lower)
  )
}

const localPart = /^[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}]{1,64}$/u
const domainShape = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{2,59})$/
const placeholderLocals =
  /^(test|tester|testing|prueba|ejemplo|example|null|undefined|none|noemail|no-email|sincorreo|asd|asdf|a|x|xx|xxx|na)$/
const placeholderDomains =
  /^(test|prueba|email|mail|correo|asd|asdf|none|null|x|xx|xxx|noemail|sincorreo)\.(com|cl|net|org|test)$/

function normaliseEmail(trimmed: string): Normalised {
  const value = trimmed.normalize('NFC').toLowerCase()
  const at = value.lastIndexOf('@')
  if (at < 1 || value.length > 254) return refuse('invalid_email')
  const local = value.slice(0, at)
  const domain = domainToASCII(value.slice(at + 1))
  const dotsMisplaced = local.startsWith('.') || local.endsWith('.') || local.includes('..')
  if (!localPart.test(local) || dotsMisplaced || !domainShape.test(domain)) return refuse('invalid_email')
  if (placeholderLocals.test(local) && placeholderDomains.test(domain)) return refuse('placeholder')
  if (local === 'null' || local === 'undefined' || isOneDigit(local)) return refuse('placeholder')
  return accept(`${local}@${domain}`)
}

const isOneDigit = (text: string) => /^(\d)\1*$/.test(text)
const countingUp = /^(0?123456789?0?|01234567|12345678)$/

function normalisePhone(value: string, country: string | null | undefined): Normalised {
  const digits = value.replace(/\D/g, '')
  if (isOneDigit(digits) || countingUp.test(digits)) return refuse('placeholder')
  const region = country?.toUpperCase()
  const known = region !== undefined && isSupportedCountry(region) ? (region as CountryCode) : undefined
  const dialled = value.replace(/^tel:/i, '')
  const international = known ? dialled : dialled.replace(/^00(?=[1-9])/, '+')
  const parsed = parsePhoneNumberFromString(
    international,
    known ? { defaultCountry: known, extract: false } : { extract: false },
  )
  // Possible, not valid: number plans grow faster than their metadata, and a lost identity is not found again.
  if (!parsed?.isPossible()) return refuse('invalid_phone')
  if (isOneDigit(parsed.nationalNumber) || /^(\d)\1{6,}$/.test(parsed.nationalNumber.slice(1)))
    return refuse('placeholder')
  return accept(parsed.number)
}

function normaliseRut(value: string): Normalised {
  const compact = value.replace(/[\s.\-‐-―]/g, '').toUpperCase()
  const match = /^0*(\d{6,8})([\dK])$/.exec(compact)
  if (!match) return refuse('invalid_national_id')
  const [, body = '', check] = match
  if (isOneDigit(body)) return refuse('placeholder')
  return rutCheckDigit(body) === check ? accept(`${body}-${check}`) : refuse('invalid_national_id')
}

function rutCheckDigit(body: string): string {
  let sum = 0
  let factor = 2
  for (let i = body.length - 1; i >= 0; i--) {
    sum += Number(body[i]) * factor
    factor = factor === 7 ? 2 : factor + 1
  }
  const digit = 11 - (sum % 11)
  return digit === 11 ? '0' : digit === 10 ? 'K' : String(digit)
}

function normaliseExternalId(trimmed: string): Normalised {
  const value = trimmed.normalize('NFC')
  if (value.length > maxExternalId || !value.isWellFormed() || /\p{Cc}/u.test(value))
    return refuse('invalid_external_id')
  // A provider's prefix does not turn a stand-in into a person.
  if (value.includes(':') && isPlaceholder(value.slice(value.indexOf(':') + 1).trim())) return refuse('placeholder')
  return accept(value)
}
