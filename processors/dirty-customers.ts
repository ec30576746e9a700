import type { Warehouse } from '../clickhouse/client.ts'
import type { DirtyCustomers } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import { type DirtySubjectVersion, recomputeProfile, recomputeSubjects } from './attribution/recompute.ts'
import { isDirty, plausible } from './facts/plausible.ts'
import { type Message, pipeline } from './runner/pipeline.ts'

/** Dirty customers → their touches and credit, derived again. Keyed by profile: one writer of a profile's credit. */
export const dirtyCustomersPipeline = ({ warehouse }: { warehouse: Warehouse }) =>
  pipeline(topics.dirtyCustomers)
    .step('plausible', plausible(isDirty))
    .sink(
      (batch) => recomputeSubjects(warehouse, dirtySubjects(batch)),
      async (batch) => {
        for (const [profile, version] of dirtyProfiles(batch)) await recomputeProfile(warehouse, profile, version)
      },
    )

/** Each subject once, with the newest version that told of it. */
function dirtySubjects(batch: Message<DirtyCustomers>[]): DirtySubjectVersion[] {
  const newest = new Map<string, DirtySubjectVersion>()
  for (const { value, version } of batch) {
    for (const subject_id of value.subject_ids) {
      newest.set(`${value.profile_id}${subject_id}`, { profile_id: value.profile_id, subject_id, version })
    }
  }
  return [...newest.values()]
}

const dirtyProfiles = (batch: Message<DirtyCustomers>[]): Map<string, bigint> =>
  new Map(
    batch
      .filter(({ value }) => value.subject_ids.length === 0)
      .map(({ value, version }) => [value.profile_id, version]),
  )
