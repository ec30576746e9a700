import type { Warehouse } from '../../clickhouse/client.ts'
import type { OutcomeRow } from './outcome-row.ts'
import { outcomeReceipt } from './receipt-row.ts'

/** Outcomes and the ways to them, all at once: attribution is told when the last is stored. */
export const storeOutcomes =
  (warehouse: Warehouse) =>
  async (outcomes: OutcomeRow[]): Promise<void> => {
    const pairs = outcomes.map(pairOf)
    const named = outcomes.filter(namesAd).map(pairOf)
    const paid = outcomes.filter(({ amount_minor }) => amount_minor !== null).map(timeOf)
    await Promise.all([
      warehouse.insert('subject_outcomes', pairs),
      warehouse.insert('outcome_subjects', pairs),
      warehouse.insert('named_outcomes', named),
      warehouse.insert('payment_times', paid),
      warehouse.insert('event_receipts', outcomes.filter(({ source }) => source !== 'tracker').map(outcomeReceipt)),
      warehouse.insert('outcomes', outcomes),
    ])
  }

const pairOf = ({ profile_id, subject_id, outcome_id }: OutcomeRow) => ({ profile_id, subject_id, outcome_id })

const timeOf = ({ profile_id, occurred_at, outcome_id }: OutcomeRow) => ({ profile_id, occurred_at, outcome_id })

/** Off-site outcomes that name an ad may need a touch of their own. */
const namesAd = ({ source, action_source, campaign_ref, ad_set_ref, ad_ref }: OutcomeRow) =>
  source !== 'tracker' && action_source !== 'website' && Boolean(campaign_ref || ad_set_ref || ad_ref)
