import { evidenceOrder } from '../../domain/identity-graph.ts'
import { open, sealingContext } from '../../domain/sealing.ts'
import type { IdentityStore, Observation } from '../../postgres/stores/identity.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { Identifier, SealedTraits } from '../../schemas/messages.ts'

/** What a message carries about a person, still sealed. */
export interface Sighting {
  profileId: string
  evidenceId: string
  eventTime: number
  isTrusted: boolean
  visitorId: string | null
  identifiers: Identifier[]
  traits: SealedTraits | null
}

/** Opens what is sealed and hands it to the identity graph. A person whose key is gone was erased: the grouping stays. */
export const observe =
  ({ vault, identity }: { vault: Vault; identity: IdentityStore }) =>
  async (sightings: Sighting[]): Promise<void> => {
    const named = sightings.filter((sighting) => sighting.identifiers.length > 0)
    if (named.length === 0) return
    const keys = await vault.keys(
      named.flatMap(({ profileId, identifiers }) => identifiers.map(({ token }) => ({ profileId, token }))),
    )
    const reveal = (profileId: string, token: string, what: 'value' | 'traits', sealed: Buffer): string | null => {
      const key = keys.get(token)
      return key ? open(key, sealingContext(profileId, token, what), sealed).toString('utf8') : null
    }
    await identity.observe(
      named.map(({ profileId, evidenceId, eventTime, isTrusted, visitorId, identifiers, traits }): Observation => {
        const revealed = traits && reveal(profileId, traits.token, 'traits', traits.sealed)
        const names: { first_name?: string; last_name?: string } = revealed ? JSON.parse(revealed) : {}
        return {
          profileId,
          evidence: evidenceOrder(eventTime, evidenceId),
          isTrusted,
          visitorId,
          identifiers: identifiers.map(({ type, token, sealed }) => ({
            type,
            token,
            value: reveal(profileId, token, 'value', sealed),
          })),
          firstName: names.first_name ?? null,
          lastName: names.last_name ?? null,
        }
      }),
    )
  }
