import type { Warehouse } from '../clickhouse/client.ts'
import type { DirtyCustomers } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import {
  type DirtyProfileVersion,
  type DirtySubjectVersion,
  recomputeProfiles,
  recomputeSubjects,
} from './attribution/recompute.ts'
import { isDirty, plausible } from './facts/plausible.ts'
import { type Message, pipeline } from './runner/pipeline.ts'

/** Dirty customers → their touches and credit, derived again. Keyed by profile: one writer of a profile's credit. */
export const dirtyCustomersPipeline = ({ warehouse }: { warehouse: Warehouse }) =>
  pipeline(topics.dirtyCustomers)
    .step('plausible', plausible(isDirty))
    .sink(
      (batch) => recomputeSubjects(warehouse, dirtySubjects(batch)),
      (batch) => recomputeProfiles(warehouse, dirtyProfiles(batch)),
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

function dirtyProfiles(batch: Message<DirtyCustomers>[]): DirtyProfileVersion[] {
  const told = batch.filter(({ value }) => value.subject_ids.length === 0)
  const newest = new Map(told.map(({ value, version }) => [value.profile_id, version]))
  return [...newest].map(([profile_id, version]) => ({ profile_id, version }))
}
