import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Warehouse } from '../../clickhouse/client.ts'
import { knownCustomers } from '../../clickhouse/replay/known-customers.ts'
import { identifiedProfiles, identitySnapshot, type MapRow } from '../../postgres/stores/identity-snapshot.ts'
import type { MarkCollector } from './marks.ts'

/**
 * Brings the identity map of a generation to what Postgres says, and marks the subjects whose customer changed. Rows
 * carry a version from the sequence that live changes take theirs from, so whichever is newer wins in any order.
 */
export async function copyIdentity(
  postgres: pg.Pool,
  warehouse: Warehouse,
  marks: MarkCollector,
  { profile, signal }: { profile: string | null; signal: AbortSignal },
): Promise<void> {
  for (const one of profile ? [profile] : await identifiedProfiles(postgres)) {
    await identitySnapshot(postgres, one, async (rows, version) => {
      signal.throwIfAborted()
      const changed = await differing(warehouse, one, rows)
      const map = changed.map(({ subjectId, customerId }) => ({
        profile_id: one,
        subject_id: subjectId,
        customer_id: customerId,
      }))
      // The way back first, though a view writes it as well: what is in the map counts as known when this is run again.
      await warehouse.insert('customer_subjects', map)
      await warehouse.insert(
        'identity_map',
        map.map((row) => ({ ...row, version })),
      )
      marks.mark(
        one,
        changed.map(({ subjectId }) => subjectId),
      )
    })
  }
}

async function differing(warehouse: Warehouse, profile: string, rows: MapRow[]): Promise<MapRow[]> {
  const run = randomUUID()
  await warehouse.insert(
    'recompute_dirty',
    rows.map(({ subjectId }) => ({ run_id: run, profile_id: profile, subject_id: subjectId, version: '0' })),
  )
  const known = new Map(
    (await warehouse.run(knownCustomers, { run })).map(({ subject_id, customer_id }) => [subject_id, customer_id]),
  )
  return rows.filter(({ subjectId, customerId }) => known.get(subjectId) !== customerId)
}
