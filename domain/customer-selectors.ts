import type { IdentifierType } from '../schemas/messages.ts'
import { accept, type Checked, refuse } from './checked.ts'
import { normalise } from './identifiers.ts'

/** Identifiers that a caller names by type and value. */
export const namedIdentifierTypes = [
  'external_customer_id',
  'crm_contact_id',
  'store_customer_id',
  'payments_customer_id',
  'national_id',
] as const satisfies readonly IdentifierType[]

export interface CustomerSelector {
  type: IdentifierType
  value: string
}

/** `no_match`: well formed, but nobody can have it, a stand-in such as `guest`. */
export type SelectorReason = 'malformed' | 'no_match'

const opaque: ReadonlySet<IdentifierType> = new Set([
  'external_customer_id',
  'crm_contact_id',
  'store_customer_id',
  'payments_customer_id',
])

/** What a caller wrote, in the one spelling that the vault knows. Of ids that have no shape only an empty one is malformed. */
export function selectorOf(
  type: IdentifierType,
  sent: string,
  country?: string | null,
): Checked<CustomerSelector, SelectorReason> {
  if (sent.trim() === '') return refuse('malformed')
  const normalised = normalise(type, sent, { country: country ?? null })
  if (normalised.ok) return accept({ type, value: normalised.value })
  return refuse(normalised.reason === 'placeholder' || opaque.has(type) ? 'no_match' : 'malformed')
}
