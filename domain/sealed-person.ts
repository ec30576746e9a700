import type { Identifier, IdentifierType, SealedTraits } from '../schemas/messages.ts'
import { seal, sealingContext } from './sealing.ts'
import { cleanText } from './text.ts'

export interface SealedPerson {
  identifiers: Identifier[]
  traits: SealedTraits | null
}

export interface Names {
  first_name?: string | null | undefined
  last_name?: string | null | undefined
}

interface Entry {
  type: IdentifierType
  value: string
  token: string
  key: Buffer
}

const maxName = 100

/** Tokens in clear, values sealed under their tokens' keys; names under that of the first entry, the strongest. */
export function sealEntries(profileId: string, entries: readonly Entry[], names: Names): SealedPerson {
  const [strongest] = entries
  const said = namesOf(names)
  return {
    identifiers: entries.map((entry) => ({
      type: entry.type,
      token: entry.token,
      sealed: sealedValue(profileId, entry),
    })),
    traits:
      strongest && (said.first_name || said.last_name)
        ? {
            token: strongest.token,
            sealed: seal(strongest.key, sealingContext(profileId, strongest.token, 'traits'), JSON.stringify(said)),
          }
        : null,
  }
}

const sealedValues = new WeakMap<Buffer, Buffer>()

/**
 * A key is its token's alone, and a token stands for one value. So what is sealed under a key is remembered as long as the
 * key is: who was seen a moment ago costs no cipher. It tells nobody more than the token beside it does.
 */
function sealedValue(profileId: string, { token, key, value }: Entry): Buffer {
  const known = sealedValues.get(key)
  if (known) return known
  const sealed = seal(key, sealingContext(profileId, token, 'value'), value)
  // Memory of its own: a part of a common block would keep the whole block.
  const kept = Buffer.allocUnsafeSlow(sealed.length)
  sealed.copy(kept)
  sealedValues.set(key, kept)
  return kept
}

export const namesOf = ({ first_name, last_name }: Names) => ({
  first_name: nameOf(first_name),
  last_name: nameOf(last_name),
})

const nameOf = (name: string | null | undefined) => (name && cleanText(name, maxName)) || undefined
