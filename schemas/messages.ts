/** The TypeScript shape of each topic's newest Avro schema; times are epoch milliseconds, dates epoch days. */

/** In order of strength: the first one that an event carries is its subject. */
export const identifierTypes = [
  'external_customer_id',
  'national_id',
  'crm_contact_id',
  'store_customer_id',
  'payments_customer_id',
  'email',
  'phone',
] as const
export type IdentifierType = (typeof identifierTypes)[number]

export interface Identifier {
  type: IdentifierType
  token: string
  sealed: Buffer
}

export interface SealedTraits {
  token: string
  sealed: Buffer
}

export interface Hit {
  event_id: string
  event_type: string
  event_name: string | null
  event_time: number
  is_clamped: boolean
  url: string | null
  path: string | null
  referrer: string | null
  utm: Record<string, string>
  click_ids: Record<string, string>
  campaign_ref: string | null
  ad_set_ref: string | null
  ad_ref: string | null
  amount_minor: number | null
  currency: string | null
  identifiers: Identifier[]
  traits: SealedTraits | null
  linked_token: string | null
}

export interface VisitBatch {
  profile_id: string
  visitor_id: string
  received_at: number
  clock_skew_ms: number
  device: string | null
  browser: string | null
  os: string | null
  country: string | null
  city: string | null
  is_bot: boolean
  hits: Hit[]
}

export interface ServerEvent {
  profile_id: string
  outcome_event_id: string
  event_type: string
  event_name: string | null
  occurred_at: number
  received_at: number
  is_clamped: boolean
  amount_minor: number | null
  currency: string | null
  action_source: string | null
  click_ids: Record<string, string>
  campaign_ref: string | null
  ad_set_ref: string | null
  ad_ref: string | null
  visitor_id: string | null
  subject_ref_token: string | null
  country: string | null
  identifiers: Identifier[]
  traits: SealedTraits | null
}

/** Where a deal stands in a pipeline of its CRM. */
export interface Stage {
  pipeline: string
  id: string
  name: string
}

export interface CrmOutcome {
  profile_id: string
  outcome_event_id: string
  provider: string
  external_id: string
  outcome_type: string
  occurred_at: number
  received_at: number
  is_clamped: boolean
  amount_minor: number | null
  currency: string | null
  stage: Stage | null
  ad_ref: string | null
  click_ids: Record<string, string>
  identifiers: Identifier[]
  traits: SealedTraits | null
}

export interface Payment {
  profile_id: string
  payment_id: string
  provider: string
  external_id: string
  occurred_at: number
  received_at: number
  is_clamped: boolean
  amount_minor: number
  currency: string
  refunded_minor: number
  subject_ref_token: string | null
  click_ids: Record<string, string>
  identifiers: Identifier[]
  traits: SealedTraits | null
}

export interface AdDelivery {
  profile_id: string
  platform: string
  date: number
  currency: string
  received_at: number
  campaign_external_id: string
  campaign_name: string
  ad_set_external_id: string
  ad_set_name: string
  ad_external_id: string
  ad_name: string
  /** The ad's own. */
  status: string | null
  ad_set_status: string | null
  campaign_status: string | null
  /** The campaign's: everything in it works towards it. */
  objective: string | null
  /** The ad set's own. */
  daily_budget_minor: number | null
  campaign_daily_budget_minor: number | null
  spend_minor: number
  impressions: number
  clicks: number
  reach: number | null
  platform_conversions: number | null
  platform_conversion_value_minor: number | null
  messaging_conversations_started_7d: number | null
  learning_stage_status: string | null
  creative_thumbnail_url: string | null
  video_id: string | null
  creative_format: string | null
  hook_type: string | null
  cta_type: string | null
  primary_angle: string | null
  offers: string[]
  audience_warmth: string | null
  geo: string | null
  placement: string | null
  first_reply_rate: number | null
  avg_engagement_score: number | null
}

export interface ProfileSetting {
  reporting_currency: string
  timezone: string
}

export interface DefinitionSetting {
  definition_id: string
  conversion_key: string
  name: string
  event_types: string[]
  revenue_type: RevenueType
  is_attribution_eligible: boolean
  lookback_window_days: number
  is_default: boolean
  is_deleted: boolean
}

export type StageSource = 'suggested' | 'user' | 'engine_default'

export interface StageSetting {
  provider: string
  pipeline: string
  stage_id: string
  name: string
  event_key: string
  source: StageSource
}

export const revenueTypes = ['cash', 'pipeline', 'messaging', 'gross'] as const
export type RevenueType = (typeof revenueTypes)[number]

export interface Setting {
  profile_id: string
  version: number
  value:
    | { 'touchline.ProfileSetting': ProfileSetting }
    | { 'touchline.DefinitionSetting': DefinitionSetting }
    | { 'touchline.StageSetting': StageSetting }
}

export interface PaymentAction {
  profile_id: string
  payment_id: string
  version: number
  value:
    | { 'touchline.InstallmentMark': { is_installment: boolean } }
    | { 'touchline.PayerAssignment': { subject_id: string | null } }
    | { 'touchline.ManualRefund': { amount_minor: number; currency: string | null } }
}

export interface IdentitySighting {
  profile_id: string
  sighting_id: string
  occurred_at: number
  identifiers: Identifier[]
  traits: SealedTraits | null
}

export interface FxRate {
  base: string
  quote: string
  date: number
  rate: string
}

export interface DirtyCustomers {
  profile_id: string
  subject_ids: string[]
}

export interface Rejected {
  topic: string
  partition: number
  offset: number
  reason: string
  profile_id: string | null
  rejected_at: number
  key: string | null
  sealed: Buffer
}
