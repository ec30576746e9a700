import { type CustomerSelector, namedIdentifierTypes, selectorOf } from '../../../domain/customer-selectors.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { IdentifierType } from '../../../schemas/messages.ts'

export const linkTokenReasons = [
  'no_match',
  'erased',
  'no_selector',
  'unknown_identifier_type',
  'malformed_selector',
] as const
export type LinkTokenReason = (typeof linkTokenReasons)[number]

export const linkTokenMessages: Record<LinkTokenReason, string> = {
  no_match: 'Nobody in this profile carries the selector.',
  erased: 'The customer was erased.',
  no_selector: 'The row names no customer.',
  unknown_identifier_type: `identifier_type must be one of ${namedIdentifierTypes.join(', ')}.`,
  malformed_selector: 'The selector cannot be read.',
}

export type NamedRow =
  | { by: 'id'; customerId: string; sentKey: string | null }
  | { by: 'identifier'; selector: CustomerSelector; sentKey: string | null }
  | { by: 'none'; reason: LinkTokenReason; sentKey: string | null }

const isPresent = (value: unknown) => value !== undefined && value !== null

/** The first selector that is present wins, and there is no way back from a malformed one (SPEC 4.1). */
export function readRow(row: unknown, country: string | undefined): NamedRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return none('no_selector', null)
  const sent = row as Record<string, unknown>
  const { customer_profile_id: id, identifier_type: type } = sent
  if (isPresent(id)) {
    const sentKey = keyOf(sent.customer_key)
    return typeof id === 'string' && isUuid(id)
      ? { by: 'id', customerId: id.toLowerCase(), sentKey }
      : none('malformed_selector', sentKey)
  }
  if (isPresent(sent.customer_key)) return named('external_customer_id', sent.customer_key, country)
  if (isPresent(sent.email)) return named('email', sent.email, country)
  if (isPresent(sent.phone)) return named('phone', sent.phone, country)
  if (!isPresent(type)) return none('no_selector', null)
  const known = namedIdentifierTypes.find((candidate) => candidate === type)
  return known ? named(known, sent.identifier_value, country) : none('unknown_identifier_type', null)
}

const none = (reason: LinkTokenReason, sentKey: string | null): NamedRow => ({ by: 'none', reason, sentKey })

function named(type: IdentifierType, value: unknown, country: string | undefined): NamedRow {
  const sentKey = type === 'external_customer_id' ? keyOf(value) : null
  const text = textOf(value)
  const selector = text === undefined ? undefined : selectorOf(type, text, country)
  if (selector?.ok) return { by: 'identifier', selector: selector.value, sentKey }
  return none(selector?.reason === 'no_match' ? 'no_match' : 'malformed_selector', sentKey)
}

/** Ids are often written as numbers. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined

/** As it was sent, but for what would make the whole answer unreadable: half a character. */
const keyOf = (value: unknown): string | null => textOf(value)?.slice(0, 1024).toWellFormed() ?? null
