import { z } from 'zod'
import { isPlatformId } from '../domain/click.ts'
import { isCurrency } from '../domain/currencies.ts'
import { type MoneyReason, toMinor } from '../domain/money.ts'
import { cleanText, hasEmail, hasPerson } from '../domain/text.ts'
import { parseTime } from '../domain/time.ts'
import type { Person } from './person.ts'

/** Fields that several senders share. None of their messages repeats the value that was sent. */

/** ISO 8601 or epoch milliseconds, given on as epoch milliseconds. */
export const Time = z
  .union([z.string().max(64), z.number()], { error: 'must be an ISO 8601 time or epoch milliseconds' })
  .transform((value, context) => {
    const time = parseTime(value)
    if (time !== undefined) return time
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time or epoch milliseconds' })
    return z.NEVER
  })

/** A text that is only shown: clean, cut to its length, never empty. */
export const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .transform((value) => cleanText(value, maxLength))
    .refine((value) => value.length > 0, { error: 'must not be empty' })

/** A text that is compared, so that it is never cut. */
export const label = (maxLength: number) =>
  z
    .string()
    .transform((value) => cleanText(value, maxLength + 1))
    .refine((value) => value.length > 0 && value.length <= maxLength, {
      error: `must have 1 to ${maxLength} characters`,
    })

/** An id that is often written as a number. */
export const id = (maxLength: number) =>
  z
    .union([z.string(), z.int()], { error: 'must be a text or a whole number' })
    .transform((value) => cleanText(String(value), maxLength + 1))
    .refine((value) => value.length > 0 && value.length <= maxLength, {
      error: `must have 1 to ${maxLength} characters`,
    })

/** A text that everybody with a report may read: one that holds an e-mail address was not meant to be. */
export const impersonal = <Schema extends z.ZodType<string>>(schema: Schema) =>
  schema.refine((value) => !hasEmail(value), { error: 'must not hold an e-mail address' })

export const maxTypeLength = 100
export const typeHoldsPerson = 'must not hold an e-mail address, a phone or a national id'

/** A type is listed and compared, so it is neither cut nor cleaned of a person: it is refused. */
export const EventType = label(maxTypeLength).refine((type) => !hasPerson(type), { error: typeHoldsPerson })

export const PlatformId = z
  .union([z.string(), z.int()], { error: "must be the platform's id" })
  .transform(String)
  .refine(isPlatformId, { error: "must be the platform's id: up to 128 letters, digits, _ . : and -" })

export const Currency = z
  .string()
  .transform((code) => code.trim().toUpperCase())
  .refine(isCurrency, { error: 'must be a currency of ISO 4217' })

export const Amount = z.union([z.number(), z.string().max(64)], { error: 'must be a number' })

/** Its keys are anybody's: none is checked, so that none is named in a message. Those that are known are taken. */
export const ClickIds = z.record(z.string(), z.unknown())

/** A label that a program chose; one that holds an e-mail address, a phone or a national id was not. */
export function withoutPerson(label: string, maxLength: number): string | null {
  const clean = cleanText(label, maxLength)
  return clean === '' || hasPerson(clean) ? null : clean
}

export const moneyMessages: Record<MoneyReason, string> = {
  invalid_amount: 'must be a decimal number',
  unknown_currency: 'must be in a currency of ISO 4217',
  negative_amount: 'must not be negative',
  amount_too_large: 'is too large',
}

/** An amount in the row's currency as exact minor units; what fails becomes an issue of the named field. */
export function minorOf(
  context: z.RefinementCtx,
  path: (string | number)[],
  value: number | string,
  currency: string,
): number {
  const minor = toMinor(value, currency)
  if (minor.ok) return minor.value
  context.addIssue({ code: 'custom', path, message: moneyMessages[minor.reason] })
  return z.NEVER
}

/** What JSON reads as another number would be somebody else's. */
const exactly = { error: 'must be text, or a whole number of at most 15 digits' }
export const Identifying = z.union([z.string().max(1024), z.int(exactly)], exactly).nullish()
const name = z.string().max(1024).nullish()

/** Who it was. Senders call their own customer id `external_id`. */
const traitsOf = (value: z.ZodType<string | number | null | undefined>) =>
  z
    .object({
      email: value,
      phone: value,
      national_id: value,
      external_id: value,
      crm_contact_id: value,
      store_customer_id: value,
      payments_customer_id: value,
      first_name: name,
      last_name: name,
      country: z.string().max(64).nullish(),
    })
    .transform(({ external_id, ...traits }): Person => toPerson({ ...traits, external_customer_id: external_id }))

export const UserTraits = traitsOf(Identifying)

/** A page has no use for an answer, and its hit counts without the number. */
export const VisitorTraits = traitsOf(
  z
    .union([z.string().max(1024), z.number().transform((number) => (Number.isSafeInteger(number) ? number : null))])
    .nullish(),
)

export function toPerson(fields: Record<string, string | number | null | undefined>): Person {
  const said: Record<string, string> = {}
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    if (field !== null && field !== undefined && field !== '') said[name] = String(field)
  }
  return said
}

/** Of any type here: whatever breaks its rules, its type included, answers with a code of its own (SPEC 4.6 rule 6). */
export const SubjectRef = z
  // What writes the description asks for the fallback too, without a value.
  .string()
  .catch((sent) => sent?.input as never)
  .nullish()
  .meta({ description: 'Your opaque id of who a payment is for: a UUID, or a token.', examples: ['pet-0042'] })
