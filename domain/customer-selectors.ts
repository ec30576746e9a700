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

/** What a stand-in of the type looks like that is well formed all the same, such as `test@test.com`; other ids have no shape. */
const shapes: Partial<Record<IdentifierType, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  phone: /^\+?\d{7,15}$/,
  national_id: /^[\d.]{7,}-?[\dk]$/i,
}

/** What a caller wrote, in the one spelling that the vault knows. Of ids that have no shape only an empty one is malformed. */
export function selectorOf(
  type: IdentifierType,
  sent: string,
  country?: string | null,
): Checked<CustomerSelector, SelectorReason> {
  if (sent.trim() === '') return refuse('malformed')
  const normalised = normalise(type, sent, { country: country ?? null })
  if (normalised.ok) return accept({ type, value: normalised.value })
  const shape = shapes[type]
  const isWellFormed = !shape || (normalised.reason === 'placeholder' && shape.test(sent.trim()))
  return refuse(isWellFormed ? 'no_match' : 'malformed')
}
