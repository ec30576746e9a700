import type { Warehouse } from '../../clickhouse/client.ts'
import type { OutcomeRow } from '../../clickhouse/fact-tables.ts'
import { outcomeTimes } from '../../clickhouse/queries/outcome-times.ts'
import { inParts } from '../../clickhouse/query.ts'

/** What is told without a time is given that of its receipt. */
const isUntimed = ({ occurred_at, received_at }: OutcomeRow) => occurred_at === received_at

/**
 * An outcome that is told again without a time, to name who it was for or that it was refunded, stays when it was. Messages
 * of one outcome come in one order, and what a repeated one finds is what it or a later one left, so a repeat or a replay
 * ends in the same time.
 */
export async function keepTimes(warehouse: Warehouse, rows: OutcomeRow[]): Promise<OutcomeRow[]> {
  const times = await standingTimes(warehouse, rows.filter(isUntimed))
  return rows.map((row) => {
    const occurred_at = (isUntimed(row) && times.get(row.outcome_id)) || row.occurred_at
    times.set(row.outcome_id, occurred_at)
    return occurred_at === row.occurred_at ? row : { ...row, occurred_at }
  })
}

async function standingTimes(warehouse: Warehouse, rows: OutcomeRow[]): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const some of inParts(rows)) {
    const profiles = [...new Set(some.map((row) => row.profile_id))]
    const found = await warehouse.run(outcomeTimes, { profiles, outcomes: some.map((row) => row.outcome_id) })
    for (const { outcome_id, at } of found) times.set(outcome_id, at)
  }
  return times
}
