import type { Logger } from 'pino'
import type { Warehouse } from '../../clickhouse/client.ts'
import { subjectsWithOutcomes } from '../../clickhouse/queries/subjects-with-outcomes.ts'
import { inParts } from '../../clickhouse/query.ts'
import type { Producer } from '../../infra/kafka/producer.ts'
import type { IdentityChange, IdentityStore } from '../../postgres/stores/identity.ts'
import { type DirtySubject, markDirty } from '../facts/mark-dirty.ts'
import { poll } from '../runner/poll.ts'
import type { Running } from '../runner/run.ts'

interface PublishDeps {
  identity: IdentityStore
  warehouse: Warehouse
  producer: Producer
  logger?: Logger | undefined
}

/**
 * Carries changes of the identity map from Postgres, which owns it, to the warehouse, then marks the customers dirty.
 * A change is forgotten only after both; a crash in between tells it again with the same version.
 */
export const runIdentityPublisher = (deps: PublishDeps): Running =>
  poll({
    name: 'identity-changes',
    work: async () => ({ hasMore: (await publishPending(deps)) > 0 }),
    logger: deps.logger,
    idleMs: 100,
  })

/** An identity store that publishes what it has just learnt: the customer is derived once, with its new subjects. */
export const publishingIdentity = (deps: PublishDeps): IdentityStore => ({
  ...deps.identity,
  observe: async (observations) => {
    await deps.identity.observe(observations)
    if (observations.length > 0) await publishPending(deps)
  },
})

const publishPending = (deps: PublishDeps) => deps.identity.publishChanges((changes) => publish(deps, changes))

async function publish({ warehouse, producer }: PublishDeps, changes: IdentityChange[]): Promise<void> {
  const rows = changes.map((change) => ({
    profile_id: change.profileId,
    subject_id: change.subjectId,
    customer_id: change.customerId,
    version: change.version,
  }))
  await warehouse.insert('identity_map', rows)
  const hasOtherVisits = (at: number) => changes[at]!.isBrowser || changes[at]!.hasLostBrowser
  const visited = rows.filter((_, at) => hasOtherVisits(at))
  const others = rows.filter((_, at) => !hasOtherVisits(at))
  const told = others.length < manyRows ? others : await withOutcomes(warehouse, others)
  await markDirty(producer)([...visited, ...told])
}

/** An import: most of whom it names nothing is known of yet, and to derive them costs more than to ask. */
const manyRows = 500

/**
 * Visits are a browser's; whoever is no browser, lost none and holds no outcome has nothing to be derived from. What is stored for
 * somebody after this look marks them by itself, with the identity that was published before.
 */
async function withOutcomes(warehouse: Warehouse, rows: DirtySubject[]): Promise<DirtySubject[]> {
  const found: DirtySubject[] = []
  for (const some of inParts(rows)) {
    const profiles = [...new Set(some.map(({ profile_id }) => profile_id))]
    const subjects = [...new Set(some.map(({ subject_id }) => subject_id))]
    found.push(...(await warehouse.run(subjectsWithOutcomes, { profiles, subjects })))
  }
  return found
}
