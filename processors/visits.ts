import { hits, outcomes } from '../clickhouse/fact-tables.ts'
import type { VisitBatch } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { hitRow } from './facts/hit-row.ts'
import { markDirty } from './facts/mark-dirty.ts'
import { trackerOutcome } from './facts/outcome-row.ts'
import { isVisit, plausible } from './facts/plausible.ts'
import { openPeople, type Sighting } from './identity/open-people.ts'
import { each, gather, type Message, ok, pipeline, together } from './runner/pipeline.ts'

/** Tracker hits → whose they are → stored as they came → whose credit may have changed. */
export const visitsPipeline = ({ warehouse, producer, vault, identity }: FactDeps) =>
  pipeline(topics.visits)
    .step('plausible', plausible(isVisit))
    .step(
      'facts',
      each((message) => ok(facts(message))),
    )
    .step('people', openPeople(vault))
    .sink(
      together(
        gather((value) => value.observations, identity.observe),
        gather(
          (value) => value.hits,
          (rows) => warehouse.store(hits, rows),
        ),
        gather(
          (value) => value.outcomes,
          (rows) => warehouse.store(outcomes, rows),
        ),
      ),
      gather((value) => value.dirty, markDirty(producer)),
    )

function facts({ value: visit, version }: Message<VisitBatch>) {
  const told = visit.hits.flatMap((hit) => trackerOutcome(visit, hit, version) ?? [])
  return {
    sightings: visit.hits
      .filter(({ identifiers, linked_token }) => identifiers.length > 0 || linked_token !== null)
      .map(
        (hit): Sighting => ({
          profileId: visit.profile_id,
          evidenceId: hit.event_id,
          eventTime: hit.event_time,
          receivedAt: visit.received_at,
          isTrusted: false,
          visitorId: visit.visitor_id,
          identifiers: hit.identifiers,
          traits: hit.traits,
          // A program that looks links up before they are delivered is nobody's browser.
          linkedToken: visit.is_bot ? null : hit.linked_token,
        }),
      ),
    hits: visit.hits.map((hit) => hitRow(visit, hit, version)),
    outcomes: told,
    // A bot's hits are kept apart and earn nothing.
    dirty: visit.is_bot ? [] : [{ profile_id: visit.profile_id, subject_id: visit.visitor_id }, ...told],
  }
}
