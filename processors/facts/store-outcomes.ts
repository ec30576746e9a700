import type { Warehouse } from '../../clickhouse/client.ts'
import type { OutcomeRow } from './outcome-row.ts'

/** The ways between subject and outcome first: an outcome that is there is always found. */
export const storeOutcomes =
  (warehouse: Warehouse) =>
  async (outcomes: OutcomeRow[]): Promise<void> => {
    const pairs = outcomes.map(({ profile_id, subject_id, outcome_id }) => ({ profile_id, subject_id, outcome_id }))
    await Promise.all([warehouse.insert('subject_outcomes', pairs), warehouse.insert('outcome_subjects', pairs)])
    await warehouse.insert('outcomes', outcomes)
  }
