import type { HitRow } from '../../clickhouse/fact-tables.ts'
import { classify } from '../../domain/channels.ts'
import type { Hit, VisitBatch } from '../../schemas/messages.ts'
import { firstReceipt } from './first-receipt.ts'

/** A tracker hit as it is stored: classified once, by the rules of the day it was processed. */
export function hitRow(visit: VisitBatch, hit: Hit, version: bigint): HitRow {
  const arrival = classify({
    utm: hit.utm,
    clickIds: hit.click_ids,
    referrer: hit.referrer,
    url: hit.url,
    campaignRef: hit.campaign_ref,
    adSetRef: hit.ad_set_ref,
    adRef: hit.ad_ref,
  })
  return {
    profile_id: visit.profile_id,
    subject_id: visit.visitor_id,
    event_id: hit.event_id,
    event_type: hit.event_type,
    event_name: hit.event_name ?? '',
    event_time: hit.event_time,
    received_at: visit.received_at,
    clock_skew_ms: visit.clock_skew_ms,
    url: hit.url ?? '',
    path: hit.path ?? '',
    referrer: hit.referrer ?? '',
    channel: arrival.channel,
    source: arrival.source ?? '',
    medium: arrival.medium ?? '',
    is_direct: arrival.isDirect,
    signature: arrival.signature,
    utm: hit.utm,
    click_id_kind: Object.keys(hit.click_ids)[0] ?? '',
    campaign_ref: hit.campaign_ref ?? '',
    ad_set_ref: hit.ad_set_ref ?? '',
    ad_ref: hit.ad_ref ?? '',
    device: visit.device ?? '',
    browser: visit.browser ?? '',
    os: visit.os ?? '',
    country: visit.country ?? '',
    city: visit.city ?? '',
    is_bot: visit.is_bot,
    version: firstReceipt(version),
  }
}
