import type { hitRow } from './hit-row.ts'
import type { OutcomeRow } from './outcome-row.ts'

type HitRow = ReturnType<typeof hitRow>

const namesAd = (row: { ad_ref: string; ad_set_ref: string; campaign_ref: string }) =>
  Boolean(row.ad_ref || row.ad_set_ref || row.campaign_ref)

/** That a hit came in, by time. */
export const hitReceipt = (hit: HitRow, version: bigint, clockSkewMs: number) => ({
  profile_id: hit.profile_id,
  event_time: hit.event_time,
  event_id: hit.event_id,
  receipt: version.toString(),
  subject_id: hit.subject_id,
  source: 'tracker',
  event_type: hit.event_type,
  channel: hit.channel,
  names_ad: namesAd(hit),
  is_bot: hit.is_bot,
  received_at: hit.received_at,
  clock_skew_ms: clockSkewMs,
})

/** That an outcome came in; one of the tracker's has its hit's receipt. */
export const outcomeReceipt = (outcome: OutcomeRow) => ({
  profile_id: outcome.profile_id,
  event_time: outcome.occurred_at,
  event_id: outcome.outcome_id,
  receipt: outcome.version,
  subject_id: outcome.subject_id,
  source: outcome.source,
  event_type: outcome.event_type,
  channel: outcome.channel,
  names_ad: namesAd(outcome),
  is_bot: false,
  received_at: outcome.received_at,
  clock_skew_ms: 0,
})
