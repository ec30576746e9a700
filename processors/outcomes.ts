import type { CrmOutcome, Payment, ServerEvent } from '../schemas/messages.ts'
import { type Topic, topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { markDirty } from './facts/mark-dirty.ts'
import { crmOutcome, type OutcomeRow, paymentOutcome, serverOutcome } from './facts/outcome-row.ts'
import { storeOutcomes } from './facts/store-outcomes.ts'
import type { Sighting } from './identity/observe.ts'
import { each, ok, pipeline } from './runner/pipeline.ts'

type Outcome = ServerEvent | CrmOutcome | Payment

/** Outcomes of one source → whose they are → stored, a re-send replacing → whose credit may have changed. */
const outcomePipeline = <Value extends Outcome>(
  { warehouse, producer, observe }: FactDeps,
  topic: Topic<Value>,
  toRow: (value: Value, version: bigint) => OutcomeRow,
) =>
  pipeline(topic)
    .step(
      'facts',
      each(({ value, version }) => ok(facts(value, toRow(value, version)))),
    )
    .sink(
      (batch) => observe(batch.map(({ value }) => value.sighting)),
      (batch) =>
        storeOutcomes(
          warehouse,
          batch.map(({ value }) => value.row),
        ),
      (batch) =>
        markDirty(
          producer,
          batch.map(({ value }) => value.row),
        ),
    )

const facts = (outcome: Outcome, row: OutcomeRow) => ({
  row,
  sighting: {
    profileId: row.profile_id,
    evidenceId: row.outcome_id,
    eventTime: outcome.occurred_at,
    isTrusted: true,
    visitorId: row.visitor_id,
    identifiers: outcome.identifiers,
    traits: outcome.traits,
  } satisfies Sighting,
})

export const eventsPipeline = (deps: FactDeps) => outcomePipeline(deps, topics.events, serverOutcome)
export const crmOutcomesPipeline = (deps: FactDeps) => outcomePipeline(deps, topics.crmOutcomes, crmOutcome)
export const paymentsPipeline = (deps: FactDeps) => outcomePipeline(deps, topics.payments, paymentOutcome)
