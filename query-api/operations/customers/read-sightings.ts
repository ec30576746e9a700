import type { Warehouse } from '../../../clickhouse/client.ts'
import { subjectSightings } from '../../../clickhouse/queries/subject-sightings.ts'
import { inParts } from '../../../clickhouse/query.ts'
import type { SubjectOfCustomer } from '../../../postgres/stores/customer-profiles.ts'

export interface Sighting {
  firstSeenAt: string
  lastSeenAt: string
  sources: Set<string>
}

/** When customers were first and last seen, and by which systems; one who never was has no entry. */
export async function readSightings(
  clickhouse: Warehouse,
  profile: string,
  held: readonly SubjectOfCustomer[],
): Promise<Map<string, Sighting>> {
  const customerOf = new Map(held.map(({ subjectId, customerId }) => [subjectId, customerId]))
  const sightings = new Map<string, Sighting>()
  for (const seen of await seenSubjects(clickhouse, profile, held)) {
    // An outcome that was once a subject's may be somebody else's today.
    const customer = customerOf.get(seen.subject_id)
    if (!customer) continue
    const { first_seen_at, last_seen_at, sources } = seen
    const known = sightings.get(customer)
    sightings.set(customer, {
      firstSeenAt: known && known.firstSeenAt < first_seen_at ? known.firstSeenAt : first_seen_at,
      lastSeenAt: known && known.lastSeenAt > last_seen_at ? known.lastSeenAt : last_seen_at,
      sources: known ? known.sources.union(new Set(sources)) : new Set(sources),
    })
  }
  return sightings
}

async function seenSubjects(clickhouse: Warehouse, profile: string, held: readonly SubjectOfCustomer[]) {
  const parts = [...inParts(held)].map((some) => {
    const subjects = some.map(({ subjectId }) => subjectId)
    const browsers = some.flatMap(({ subjectId, isBrowser }) => (isBrowser ? subjectId : []))
    return clickhouse.run(subjectSightings, { profile, browsers, subjects })
  })
  return (await Promise.all(parts)).flat()
}
