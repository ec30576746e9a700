import type { OutcomeRow } from '../../clickhouse/fact-tables.ts'
import { classify } from '../../domain/channels.ts'
import { ids } from '../../domain/ids.ts'
import { isNavigation } from '../../domain/navigation.ts'
import type { OutcomeSource } from '../../domain/outcome-sources.ts'
import { strongest } from '../../domain/subject.ts'
import type { CrmOutcome, Hit, Payment, ServerEvent, Stage, VisitBatch } from '../../schemas/messages.ts'
import { firstReceipt } from './first-receipt.ts'

interface Parts {
  profile_id: string
  outcome_id: string
  subject_id: string
  source: OutcomeSource
  event_type: string
  occurred_at: number
  received_at: number
  version: bigint
  provider?: string
  external_id?: string
  event_name?: string | null
  stage?: Stage | null
  amount_minor?: number | null
  refunded_minor?: number
  currency?: string | null
  subject_ref?: string | null
  action_source?: string | null
  click_ids?: Record<string, string>
  campaign_ref?: string | null
  ad_set_ref?: string | null
  ad_ref?: string | null
  visitor_id?: string | null
  url?: string | null
  path?: string | null
  device?: string | null
  browser?: string | null
  os?: string | null
  country?: string | null
  city?: string | null
}

const outcomeRow = (parts: Parts): OutcomeRow => ({
  profile_id: parts.profile_id,
  outcome_id: parts.outcome_id,
  conversion_id: ids.conversion(parts.profile_id, parts.outcome_id),
  subject_id: parts.subject_id,
  source: parts.source,
  provider: parts.provider ?? '',
  external_id: parts.external_id ?? '',
  event_type: parts.event_type,
  event_name: parts.event_name ?? '',
  pipeline: parts.stage?.pipeline ?? '',
  stage_id: parts.stage?.id ?? '',
  occurred_at: parts.occurred_at,
  received_at: parts.received_at,
  amount_minor: parts.amount_minor ?? null,
  refunded_minor: parts.refunded_minor ?? 0,
  currency: parts.currency ?? '',
  subject_ref: parts.subject_ref ?? null,
  action_source: parts.action_source ?? '',
  click_id_kind: Object.keys(parts.click_ids ?? {})[0] ?? '',
  campaign_ref: parts.campaign_ref ?? '',
  ad_set_ref: parts.ad_set_ref ?? '',
  ad_ref: parts.ad_ref ?? '',
  ...arrivalOf(parts),
  visitor_id: parts.visitor_id ?? null,
  url: parts.url ?? '',
  path: parts.path ?? '',
  device: parts.device ?? '',
  browser: parts.browser ?? '',
  os: parts.os ?? '',
  country: parts.country ?? '',
  city: parts.city ?? '',
  version: parts.version,
})

/** What a synthetic touch would say: the channel of the ad or click id that the outcome names. */
function arrivalOf({ click_ids: clickIds = {}, campaign_ref, ad_set_ref, ad_ref }: Parts) {
  const { channel, source, medium, isDirect } = classify({
    utm: {},
    clickIds,
    referrer: null,
    url: null,
    campaignRef: campaign_ref ?? null,
    adSetRef: ad_set_ref ?? null,
    adRef: ad_ref ?? null,
  })
  if (isDirect) return { channel: '', traffic_source: '', medium: '' }
  return { channel, traffic_source: source ?? '', medium: medium ?? '' }
}

export function trackerOutcome(visit: VisitBatch, hit: Hit, version: bigint): OutcomeRow | undefined {
  if (isNavigation(hit.event_type) || visit.is_bot) return undefined
  return outcomeRow({
    ...visit,
    ...hit,
    outcome_id: ids.trackerOutcome(visit.profile_id, hit.event_id),
    subject_id: strongest(hit.identifiers)?.token ?? visit.visitor_id,
    source: 'tracker',
    occurred_at: hit.event_time,
    action_source: 'website',
    version: firstReceipt(version),
  })
}

/** An event that names nobody is a subject of its own: it counts, and belongs to no known customer. */
export const serverOutcome = (event: ServerEvent, version: bigint): OutcomeRow =>
  outcomeRow({
    ...event,
    outcome_id: event.outcome_event_id,
    subject_id: strongest(event.identifiers)?.token ?? event.visitor_id ?? event.outcome_event_id,
    source: 'server',
    subject_ref: event.subject_ref_token,
    version,
  })

export const crmOutcome = (outcome: CrmOutcome, version: bigint): OutcomeRow =>
  outcomeRow({
    ...outcome,
    outcome_id: outcome.outcome_event_id,
    subject_id: strongest(outcome.identifiers)?.token ?? outcome.outcome_event_id,
    source: 'crm',
    event_type: outcome.outcome_type,
    version,
  })

export const paymentOutcome = (payment: Payment, version: bigint): OutcomeRow =>
  outcomeRow({
    ...payment,
    outcome_id: payment.payment_id,
    subject_id: strongest(payment.identifiers)?.token ?? payment.payment_id,
    source: 'payment',
    event_type: 'payment_received',
    subject_ref: payment.subject_ref_token,
    version,
  })
