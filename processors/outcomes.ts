import { type OutcomeRow, outcomes } from '../clickhouse/fact-tables.ts'
import type { SeenStage } from '../postgres/stores/pipeline-stages.ts'
import type { CrmOutcome, Payment, ServerEvent } from '../schemas/messages.ts'
import { type Topic, topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { forgetLateRefs, payersOf } from './facts/forget-late-refs.ts'
import { keepStanding } from './facts/keep-standing.ts'
import { markDirty } from './facts/mark-dirty.ts'
import { crmOutcome, paymentOutcome, serverOutcome } from './facts/outcome-row.ts'
import { isOutcome, plausible } from './facts/plausible.ts'
import { openPeople, type Sighting } from './identity/open-people.ts'
import { each, gather, ok, pipeline, together } from './runner/pipeline.ts'

type Outcome = ServerEvent | CrmOutcome | Payment

/** Outcomes of one source → whose they are → stored, a re-send replacing → whose credit may have changed. */
const outcomePipeline = <Value extends Outcome>(
  deps: FactDeps,
  topic: Topic<Value>,
  toRow: (value: Value, version: bigint) => OutcomeRow,
) => {
  const { warehouse, producer, vault, identity, stages } = deps
  return pipeline(topic)
    .step('plausible', plausible<Value>(isOutcome))
    .step(
      'facts',
      each(({ value, version }) => ok(facts(value, toRow(value, version)))),
    )
    .step('people', openPeople(vault))
    .sink(
      together(
        gather((value) => value.observations, identity.observe),
        gather(
          (value) => [value.row],
          async (rows) => {
            const kept = await keepStanding(deps, rows)
            await warehouse.store(outcomes, kept)
            // Whom they are marked dirty by below is whom they name.
            await markDirty(producer)(kept.filter(({ subject_id }, at) => subject_id !== rows[at]!.subject_id))
          },
        ),
      ),
      gather((value) => [value.row], markDirty(producer)),
      gather((value) => payersOf(value.row), forgetLateRefs(deps)),
      gather((value) => value.stages, stages.observe),
    )
}

const facts = (outcome: Outcome, row: OutcomeRow) => ({
  row,
  stages: 'stage' in outcome ? seenStage(outcome) : [],
  sightings: [
    {
      profileId: row.profile_id,
      evidenceId: row.outcome_id,
      eventTime: outcome.occurred_at,
      receivedAt: outcome.received_at,
      isTrusted: true,
      visitorId: row.visitor_id,
      identifiers: outcome.identifiers,
      traits: outcome.traits,
    },
  ] satisfies Sighting[],
})

/** A stage is named as the newest of its deals names it. */
const seenStage = ({ profile_id, provider, stage, occurred_at }: CrmOutcome): SeenStage[] =>
  stage
    ? [
        {
          profileId: profile_id,
          provider,
          pipeline: stage.pipeline,
          stageId: stage.id,
          name: stage.name,
          namedAt: occurred_at,
        },
      ]
    : []

export const eventsPipeline = (deps: FactDeps) => outcomePipeline(deps, topics.events, serverOutcome)
export const crmOutcomesPipeline = (deps: FactDeps) => outcomePipeline(deps, topics.crmOutcomes, crmOutcome)
export const paymentsPipeline = (deps: FactDeps) => outcomePipeline(deps, topics.payments, paymentOutcome)
