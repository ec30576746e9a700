import type { OutcomeRow } from '../../clickhouse/fact-tables.ts'
import { subjectRefsOfCustomers } from '../../clickhouse/queries/subject-refs-of-customers.ts'
import type { Payer } from '../../postgres/stores/erased-payers.ts'
import type { FactDeps } from './deps.ts'

type Deps = Pick<FactDeps, 'warehouse' | 'erasedPayers'>

/**
 * A payment may be stored, or given to another payer, after the erasure of that payer was finished. What the erasure would
 * have done about who it was for is done then.
 */
export const forgetLateRefs =
  ({ warehouse, erasedPayers }: Deps) =>
  async (payers: Payer[]): Promise<void> => {
    if (payers.length === 0) return
    for (const [profileId, customers] of await erasedPayers.among(payers)) {
      const refs = await warehouse.run(subjectRefsOfCustomers, { profile: profileId, customers })
      await erasedPayers.forgetSubjectRefs(profileId, refs)
    }
  }

/** Whose a stored payment may be; only those that say who they were for matter. */
export const payersOf = ({ profile_id, subject_id, outcome_id, subject_ref }: OutcomeRow): Payer[] =>
  subject_ref === null ? [] : [{ profileId: profile_id, token: subject_id, paymentId: outcome_id }]
