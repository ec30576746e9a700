import { type IdentifierReason, normalise } from '../domain/identifiers.ts'
import { type Prompt, whenThere } from '../domain/prompt.ts'
import { type SealedPerson, sealEntries } from '../domain/sealed-person.ts'
import type { Vault, VaultEntry } from '../postgres/stores/vault.ts'
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
export function sealPerson(
  vault: Vault,
  profileId: string,
  person: Person | null | undefined,
  onRefused?: OnRefused,
): Prompt<SealedPerson> {
  if (!person) return nobody
  const values: Named[] = []
  // Strongest first: names are sealed under the strongest identifier's key.
  for (const type of identifierTypes) {
    const sent = person[type]
    if (sent === undefined || sent === '') continue
    const normalised = normalise(type, sent, { country: person.country ?? null })
    if (normalised.ok) values.push({ type, value: normalised.value })
    else onRefused?.(type, normalised.reason)
  }
  if (values.length === 0) return nobody
  return whenThere(tokensOf(vault, profileId, values), (entries) =>
    entries ? sealEntries(profileId, entries, person) : erasedPerson,
  )
}

type Named = { type: IdentifierType; value: string }
type Entries = (VaultEntry & Named)[]

/**
 * Undefined for the key of an erased customer. It is asked for before the others, so that the vault learns nothing of
 * what was sent beside it.
 */
function tokensOf(vault: Vault, profileId: string, values: Named[]): Prompt<Entries | undefined> {
  // The strongest of all, so that it is the first.
  const [strongest, ...others] = values
  if (strongest?.type !== 'external_customer_id') return vault.tokens(profileId, values)
  return whenThere(vault.tokens(profileId, [strongest]), (keys): Prompt<Entries | undefined> => {
    if (keys[0]!.isErased) return undefined
    if (others.length === 0) return keys
    return whenThere(vault.tokens(profileId, others), (entries) => [...keys, ...entries])
  })
}

/** Who it was, and the token of who a payment is for; the ref itself stays in no message, not even sealed. */
export interface SealedParties {
  person: SealedPerson
  subjectRefToken: string | null
}

/** What stands beside the key of an erased customer is kept in no way: who it was for is asked for last, or not at all. */
export function sealParties(
  vault: Vault,
  profileId: string,
  { person, subjectRef }: { person: Person | null | undefined; subjectRef: string | null },
  onRefused?: OnRefused,
): Prompt<SealedParties> {
  return whenThere(sealPerson(vault, profileId, person, onRefused), (sealed): Prompt<SealedParties> => {
    if (subjectRef === null || sealed === erasedPerson) return { person: sealed, subjectRefToken: null }
    return whenThere(vault.tokens(profileId, [{ type: 'subject_ref', value: subjectRef }]), ([entry]) => ({
      person: sealed,
      subjectRefToken: entry!.token,
    }))
  })
}
