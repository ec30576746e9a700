import { evidenceOrder } from '../../domain/identity-graph.ts'
import { open, sealingContext } from '../../domain/sealing.ts'
import type { Observation } from '../../postgres/stores/identity.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { Identifier, SealedTraits } from '../../schemas/messages.ts'
import { type Message, type Outcome, ok, reject } from '../runner/pipeline.ts'

/** What a message carries about a person, still sealed. */
export interface Sighting {
  profileId: string
  evidenceId: string
  eventTime: number
  receivedAt: number
  isTrusted: boolean
  visitorId: string | null
  identifiers: Identifier[]
  traits: SealedTraits | null
  /** The identifier that a link token names. */
  linkedToken?: string | null
}

type Keys = Map<string, Buffer>

/** A step that opens what is sealed; a message whose seal is broken is rejected. */
export const openPeople =
  (vault: Vault) =>
  async <T extends { sightings: Sighting[] }>(
    batch: Message<T>[],
  ): Promise<Outcome<T & { observations: Observation[] }>[]> => {
    const wanted: { profileId: string; token: string }[] = []
    for (const { value } of batch) {
      for (const { profileId, identifiers } of value.sightings) {
        for (const { token } of identifiers) wanted.push({ profileId, token })
      }
    }
    const keys = await vault.keys(wanted)
    return batch.map(({ value, version }) => {
      // Most of what browsers send names nobody.
      if (value.sightings.length === 0) return ok({ ...value, observations: [] })
      const named = value.sightings.filter(({ identifiers, linkedToken }) => identifiers.length > 0 || linkedToken)
      try {
        return ok({ ...value, observations: named.map((sighting) => toObservation(sighting, version, keys)) })
      } catch {
        return reject('broken_seal')
      }
    })
  }

/** Text that Postgres takes; whoever sealed anything else is no collector of ours. */
function storable(text: unknown): string | null {
  if (text === undefined || text === null) return null
  if (typeof text !== 'string' || text.includes('\0')) throw new TypeError('not a text')
  return text
}

function toObservation(sighting: Sighting, version: bigint, keys: Keys): Observation {
  const { profileId, evidenceId, eventTime, receivedAt, isTrusted, visitorId, identifiers, traits, linkedToken } =
    sighting
  // Without its key a value was erased: the person is gone, the grouping by token stays.
  const reveal = (token: string, what: 'value' | 'traits', sealed: Buffer): string | null => {
    const key = keys.get(token)
    return key ? open(key, sealingContext(profileId, token, what), sealed).toString('utf8') : null
  }
  const names = JSON.parse((traits && reveal(traits.token, 'traits', traits.sealed)) ?? '{}')
  return {
    profileId,
    evidence: evidenceOrder(Math.min(eventTime, receivedAt), evidenceId, version),
    isTrusted,
    visitorId,
    identifiers: identifiers.map(({ type, token, sealed }) => ({
      type,
      token,
      value: storable(reveal(token, 'value', sealed)),
    })),
    firstName: storable(names.first_name),
    lastName: storable(names.last_name),
    // Behind the sign-ins of the same instant, whose ids are hexadecimal.
    linked: linkedToken
      ? { token: linkedToken, evidence: evidenceOrder(receivedAt, `link-${evidenceId}`, version) }
      : null,
  }
}
