import { type IdentifierReason, normalise } from '../domain/identifiers.ts'
import { type SealedPerson, sealEntries } from '../domain/sealed-person.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import { type IdentifierType, identifierTypes } from '../schemas/messages.ts'

/** Who a sender says it was, in the sender's own words. */
export type Person = Partial<Record<IdentifierType, string | undefined>> & {
  first_name?: string | undefined
  last_name?: string | undefined
  /** ISO 3166: the region of a phone written without one. */
  country?: string | null | undefined
}

export type OnRefused = (type: IdentifierType, reason: IdentifierReason) => void

const nobody: SealedPerson = { identifiers: [], traits: null }
/** Somebody who was erased, named by the key: what was sent counts, and is nobody's. */
export const erasedPerson: SealedPerson = { identifiers: [], traits: null }

/** Tokens in clear, values sealed under their tokens' keys. A value that is no identifier is left out and counted. */
export async function sealPerson(
  vault: Vault,
  profileId: string,
  person: Person | null | undefined,
  onRefused?: OnRefused,
): Promise<SealedPerson> {
  if (!person) return nobody
  const values: { type: IdentifierType; value: string }[] = []
  // Strongest first: names are sealed under the strongest identifier's key.
  for (const type of identifierTypes) {
    const sent = person[type]
    if (sent === undefined || sent === '') continue
    const normalised = normalise(type, sent, { country: person.country ?? null })
    if (normalised.ok) values.push({ type, value: normalised.value })
    else onRefused?.(type, normalised.reason)
  }
  if (values.length === 0) return nobody
  const entries = await tokensOf(vault, profileId, values)
  if (!entries) return erasedPerson
  return sealEntries(profileId, entries, person)
}

type Named = { type: IdentifierType; value: string }

/**
 * Undefined for the key of an erased customer. It is asked for before the others, so that the vault learns nothing of
 * what was sent beside it.
 */
async function tokensOf(vault: Vault, profileId: string, values: Named[]) {
  const isKey = ({ type }: Named) => type === 'external_customer_id'
  const keys = await vault.tokens(profileId, values.filter(isKey))
  if (keys.some(({ isErased }) => isErased)) return undefined
  const others = await vault.tokens(
    profileId,
    values.filter((value) => !isKey(value)),
  )
  return [...keys, ...others]
}

/** The token of who a payment is for; the ref itself stays in no message, not even sealed. */
export async function subjectToken(vault: Vault, profileId: string, subjectRef: string): Promise<string> {
  const [entry] = await vault.tokens(profileId, [{ type: 'subject_ref', value: subjectRef }])
  return entry!.token
}
