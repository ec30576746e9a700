import { z } from 'zod'
import { idAtProvider, providerMessage, providerShape } from '../../domain/provider-name.ts'
import { checkSubjectRef, subjectRefMessages } from '../../domain/subject-ref.ts'
import { correctTime, tooOld } from '../../domain/time.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import { toPerson, Identifying as value } from '../fields.ts'
import type { OnRefused, Person } from '../person.ts'

/** What a row needs to become a message. */
export interface ImportContext {
  profileId: string
  receivedAt: number
  vault: Vault
  onRefused?: OnRefused
}

const name = z.string().max(1024).nullish()

/** Who it was. `external_id` is the importer's own id of the customer, as everywhere; `provider_id` is the provider's. */
export const Contact = z.object({
  first_name: name,
  last_name: name,
  email: value,
  phone: value,
  national_id: value,
  external_id: value,
  provider_id: value,
  country: z.string().max(64).nullish(),
})
export type Contact = z.output<typeof Contact>

export function personOf(
  contact: Contact | null | undefined,
  provider: string,
  type: 'crm_contact_id' | 'payments_customer_id' | 'store_customer_id',
): Person | null {
  if (!contact) return null
  const { provider_id, external_id, ...rest } = contact
  const isGiven = provider_id !== null && provider_id !== undefined && provider_id !== ''
  return toPerson({
    ...rest,
    external_customer_id: external_id,
    [type]: isGiven ? idAtProvider(provider, String(provider_id).trim()) : undefined,
  })
}

/** A row that breaks a rule which its shape alone does not show. */
export class BadRow extends Error {
  constructor(field: string, message: string) {
    super(`${field}: ${message}`)
    this.name = 'BadRow'
  }
}

export function occurredAt(time: number, receivedAt: number): { occurred_at: number; is_clamped: boolean } {
  const corrected = correctTime(time, receivedAt)
  if (!corrected.ok) throw new BadRow('occurred_at', tooOld)
  return { occurred_at: corrected.value.time, is_clamped: corrected.value.isClamped }
}

/** Provider names are compared as they are written, so they have one spelling. */
export const Provider = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => providerShape.test(text), { error: providerMessage })

export const SubjectRef = z.string().transform((text, context) => {
  const checked = checkSubjectRef(text)
  if (checked.ok) return checked.value
  context.addIssue({ code: 'custom', message: subjectRefMessages[checked.reason] })
  return z.NEVER
})
