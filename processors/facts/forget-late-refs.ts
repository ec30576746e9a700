import type { OutcomeRow } from '../../clickhouse/fact-tables.ts'
import { subjectRefsOfCustomers } from '../../clickhouse/queries/subject-refs-of-customers.ts'
import type { FactDeps } from './deps.ts'

/**
 * A payment may be stored after the erasure of whoever made it was finished. What the erasure would have done about who it
 * was for is done then.
 */
export const forgetLateRefs =
  ({ warehouse, erasedPayers }: Pick<FactDeps, 'warehouse' | 'erasedPayers'>) =>
  async (outcomes: OutcomeRow[]): Promise<void> => {
    const payers = outcomes
      .filter(({ subject_ref }) => subject_ref !== null)
      .map(({ profile_id, subject_id }) => ({ profileId: profile_id, token: subject_id }))
    if (payers.length === 0) return
    for (const [profileId, customers] of await erasedPayers.among(payers)) {
      const refs = await warehouse.run(subjectRefsOfCustomers, { profile: profileId, customers })
      await erasedPayers.forgetSubjectRefs(
        profileId,
        refs.map(({ token }) => token),
      )
    }
  }
