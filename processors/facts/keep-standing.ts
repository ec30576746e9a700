import type { Warehouse } from '../../clickhouse/client.ts'
import type { OutcomeRow } from '../../clickhouse/fact-tables.ts'
import { standingOutcomes } from '../../clickhouse/queries/standing-outcomes.ts'
import { inParts } from '../../clickhouse/query.ts'
import type { Subject } from '../../postgres/stores/erased-payers.ts'
import type { FactDeps } from './deps.ts'

type Deps = Pick<FactDeps, 'warehouse' | 'erasedPayers'>
type Standing = Pick<OutcomeRow, 'occurred_at' | 'subject_id' | 'subject_ref'>

/** What is told without a time is given that of its receipt. */
const isUntimed = ({ occurred_at, received_at }: OutcomeRow) => occurred_at === received_at

/** What names nobody is a subject of its own. */
const isNameless = ({ subject_id, outcome_id }: OutcomeRow) => subject_id === outcome_id

/**
 * What an outcome that is told again leaves as it stands. Told without a time, to name who it was for or that it was refunded,
 * it stays when it was. Told after an erasure without naming anybody, as with the erased key, it stays the erased customer's
 * and whose it was for. Messages of one outcome come in one order, and what a repeated one finds is what it or a later one
 * left, so a repeat or a replay ends in the same.
 */
export async function keepStanding({ warehouse, erasedPayers }: Deps, rows: OutcomeRow[]): Promise<OutcomeRow[]> {
  const standing = await standingRows(
    warehouse,
    rows.filter((row) => isUntimed(row) || isNameless(row)),
  )
  const owners = ownersOf(rows, standing)
  const erasedAt = owners.length > 0 ? await erasedPayers.since(owners) : new Map<string, number>()
  return rows.map((row) => {
    const before = standing.get(row.outcome_id)
    const kept = before ? { ...row, ...timeOf(row, before), ...ownerOf(row, before, erasedAt) } : row
    standing.set(row.outcome_id, kept)
    return kept
  })
}

const timeOf = (row: OutcomeRow, { occurred_at }: Standing) => (isUntimed(row) ? { occurred_at } : {})

function ownerOf(row: OutcomeRow, { subject_id, subject_ref }: Standing, erasedAt: Map<string, number>) {
  const since = erasedAt.get(subject_id)
  return isNameless(row) && since !== undefined && row.received_at >= since ? { subject_id, subject_ref } : {}
}

/** Whose those that name nobody now may have been, as they stand or by a message before in this batch. */
function ownersOf(rows: OutcomeRow[], standing: Map<string, Standing>): Subject[] {
  const nameless = new Set(rows.filter(isNameless).map(({ outcome_id }) => outcome_id))
  return rows.flatMap((row) => {
    if (!nameless.has(row.outcome_id)) return []
    const before = standing.get(row.outcome_id)?.subject_id ?? row.outcome_id
    return [row.subject_id, before]
      .filter((subjectId) => subjectId !== row.outcome_id)
      .map((subjectId) => ({ profileId: row.profile_id, subjectId }))
  })
}

async function standingRows(warehouse: Warehouse, rows: OutcomeRow[]): Promise<Map<string, Standing>> {
  const standing = new Map<string, Standing>()
  for (const some of inParts(rows)) {
    const profiles = [...new Set(some.map((row) => row.profile_id))]
    const found = await warehouse.run(standingOutcomes, { profiles, outcomes: some.map((row) => row.outcome_id) })
    for (const { outcome_id, ...row } of found) standing.set(outcome_id, row)
  }
  return standing
}
