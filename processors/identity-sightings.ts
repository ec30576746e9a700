import type { IdentitySighting } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { isIdentitySighting, plausible } from './facts/plausible.ts'
import { openPeople, type Sighting } from './identity/open-people.ts'
import { each, gather, ok, pipeline } from './runner/pipeline.ts'

/** Imported people → who is whom. Whoever imported them has been told already; the same evidence changes nothing. */
export const identityPipeline = ({ vault, identity }: Pick<FactDeps, 'vault' | 'identity'>) =>
  pipeline(topics.identity)
    .step('plausible', plausible(isIdentitySighting))
    .step(
      'facts',
      each(({ value }) => ok({ sightings: [sightingOf(value)] })),
    )
    .step('people', openPeople(vault))
    .sink(gather((value) => value.observations, identity.observe))

const sightingOf = ({ profile_id, sighting_id, occurred_at, identifiers, traits }: IdentitySighting): Sighting => ({
  profileId: profile_id,
  evidenceId: sighting_id,
  eventTime: occurred_at,
  receivedAt: occurred_at,
  isTrusted: true,
  visitorId: null,
  identifiers,
  traits,
})
