// Written by "npm run client" from the API's own description. Do not edit: change the operation, then run it again.

/** An outcome that a system knows of without a browser. */
export type EventInput = {
  /** What happened, in your own words; a conversion definition that lists it gives it meaning. */
  event_type?: string | null
  /** A more specific name; the type where event_type is left out. */
  event_name?: string | null
  /** Your own key of the event. Required whenever it carries money; sent again it replaces the event. */
  idempotency_key?: string | null
  /** When it happened. Where it is left out: now, or, for an event that is sent again, when it was. */
  occurred_at?: string | number | null
  properties?: {
    /** What it is worth, in the currency's main unit. */
    value?: number | string | null
    /** ISO 4217; the profile's own where it is left out. */
    currency?: string | null
    /** Your opaque id of who a payment is for: a UUID, or a token. */
    subject_ref?: string | null
  } | null
  /** Who it was. A new external_id (your own customer id) makes a customer that is bound to it. */
  user_traits?: {
    email?: string | number | null
    phone?: string | number | null
    national_id?: string | number | null
    external_id?: string | number | null
    crm_contact_id?: string | number | null
    store_customer_id?: string | number | null
    payments_customer_id?: string | number | null
    first_name?: string | null
    last_name?: string | null
    country?: string | null
  } | null
  /** Where it happened; reaches the ad platform as it is. */
  action_source?: "website" | "business_messaging" | "physical_store" | "system_generated" | "app" | "phone_call" | "chat" | "email" | "other" | null
  /** Click ids by their names; others than the known ones are cut. */
  click_ids?: Record<string, unknown> | null
  /** The browser, as its tracker names it. */
  visitor_id?: string | null
  /** The campaign it came by, as the ad platform numbers it. */
  campaign_id?: string | number | null
  /** The ad set it came by. */
  ad_set_id?: string | number | null
  /** The ad it came by. */
  ad_id?: string | number | null
}

export type CardPaymentInput = {
  /** The gateway's own id of the payment. Sent again it replaces the payment. */
  payment_ref: string | number
  /** What was paid, in the currency's main unit. */
  amount: number | string
  /** ISO 4217; the profile's own where it is left out. */
  currency?: string | null
  /** All that the gateway has refunded of it so far. */
  refunded_amount?: number | string | null
  /** When it was paid. Where it is left out: now, or, for a payment that is reported again, when it was. */
  occurred_at?: string | number | null
  /** Who paid, as in POST /events. */
  user_traits?: {
    email?: string | number | null
    phone?: string | number | null
    national_id?: string | number | null
    external_id?: string | number | null
    crm_contact_id?: string | number | null
    store_customer_id?: string | number | null
    payments_customer_id?: string | number | null
    first_name?: string | null
    last_name?: string | null
    country?: string | null
  } | null
  /** Your opaque id of who a payment is for: a UUID, or a token. */
  subject_ref?: string | null
  click_ids?: Record<string, unknown> | null
}

export type ErasureRequestInput = {
  /** Your idempotency key, unique in the profile; never personal data. */
  request_ref: string
  /** The customer by your own id, the `user_traits.external_id` of events. */
  customer_key?: string
  /** The customer by e-mail. */
  email?: string
  /** The customer by phone; a number without + needs `country`. */
  phone?: string
  /** The customer by another identifier, together with `identifier_value`. */
  identifier_type?: "external_customer_id" | "crm_contact_id" | "store_customer_id" | "payments_customer_id" | "national_id"
  /** The value of that identifier. */
  identifier_value?: string
  /** ISO 3166-1 alpha-2: the region of a phone without +. */
  country?: string
  reason?: "data_subject_request" | "account_closed" | "other"
  customer_profile_id?: unknown
}

/** One person: at least one of phone, email and national_id. */
export type ImportRowInput = {
  /** Normalised to E.164 when it can be read. */
  phone?: string | null
  email?: string | null
  /** A Chilean RUT in any format. */
  national_id?: string | null
  /** Your own customer id; never enough alone. */
  external_id?: string | null
  /** Fills in a name that is missing. */
  first_name?: string | null
  /** Fills in a name that is missing. */
  last_name?: string | null
}

/** One customer; the first selector that is present, in this order, wins. */
export type LinkTokenSelectorInput = {
  customer_profile_id?: string
  customer_key?: string
  email?: string
  phone?: string
  identifier_type?: string
  identifier_value?: string
}

export type SentGoalInput = {
  /** What people call it. */
  name: string
  /** The event types that count. A type belongs to one definition at most; none at all counts nothing. */
  event_types?: string[]
  /** `cash` is money received, `pipeline` an outcome on the way to it, `messaging` a conversation. */
  revenue_type?: "cash" | "pipeline" | "messaging" | "gross"
}

export type SentGoalDefinitionInput = {
  /** What the conversion is called in reports and filters. */
  conversion_key: string
  /** What people call it. */
  name?: string
  /** The event types that count. A type belongs to one definition at most; none at all counts nothing. */
  event_types?: string[]
  /** `cash` is money received, `pipeline` an outcome on the way to it, `messaging` a conversation. */
  revenue_type?: "cash" | "pipeline" | "messaging" | "gross"
  /** Whether its conversions are credited to ads. */
  is_attribution_eligible?: boolean
  /** How many days back touches take part in credit. */
  lookback_window_days?: number
  /** Whether it is one of the headline goals, listed first. */
  is_default?: boolean
}

/** A scope; /docs/scopes says what each allows. */
export type ScopeInput = "analytics:read" | "campaigns:read" | "campaigns:apply" | "conversions:read" | "customers:read" | "visitors:read" | "commerce:read" | "attribution:write" | "goals:write" | "creatives:write" | "connections:read" | "connections:write" | "exports:read" | "exports:write" | "workspaces:write" | "profiles:write" | "mcp:read" | "mcp:write" | "analytics" | "analytics_pii" | "connections" | "attribution_write"

export type NewHookEndpointInput = {
  /** Whose notifications: stripe, shopify, or generic for any other that signs as Standard Webhooks do. */
  provider: "stripe" | "shopify" | "generic"
  /** For a generic address: the name of the CRM or payment provider. */
  source?: string | null
  /** The secret that the provider shows for the address; a new one is made where it is left out. */
  secret?: string | null
}

export type HookRotationInput = {
  /** The secret that the provider shows for the address; a new one is made where it is left out. */
  secret?: string | null
  /** End the secret before now. */
  at_once?: boolean
}

/** What a person may do in a workspace. */
export type RoleInput = "owner" | "admin" | "member"

export type PayerAssignmentInput = {
  /** An active customer of this profile. */
  customer_profile_id: string | null
}

export type InstallmentMarkInput = {
  is_installment: boolean
}

export type ManualRefundInput = {
  /** In the payment's currency; all that remains where it is left out. */
  amount?: number | string | null
}

export type ConsoleErasureRequestInput = {
  profile_id: string
  /** Your idempotency key, unique in the profile; never personal data. */
  request_ref: string
  /** The customer by your own id, the `user_traits.external_id` of events. */
  customer_key?: string
  /** The customer by e-mail. */
  email?: string
  /** The customer by phone; a number without + needs `country`. */
  phone?: string
  /** The customer by another identifier, together with `identifier_value`. */
  identifier_type?: "external_customer_id" | "crm_contact_id" | "store_customer_id" | "payments_customer_id" | "national_id"
  /** The value of that identifier. */
  identifier_value?: string
  /** ISO 3166-1 alpha-2: the region of a phone without +. */
  country?: string
  reason?: "data_subject_request" | "account_closed" | "other"
  customer_profile_id?: unknown
}

export type TrackingSettingsChangeInput = {
  /** `required`: the tracker stores and sends nothing before `touchline.consent(true)`. */
  consent_mode?: "required" | "not_required"
  /** Global Privacy Control is a refusal. */
  honour_gpc?: boolean
  /** Do Not Track is a refusal. */
  honour_dnt?: boolean
  /** Which changes of the address are page views: of the path and query, of the fragment as well, or none. */
  spa_mode?: "history" | "hash" | "off"
  cookie_domain?: string | null
  cookie_days?: number
  allowed_origins?: string[]
  /** What is kept of where a hit came from. */
  location_detail?: "city" | "country" | "none"
}

export type NewCustomDomainInput = {
  /** A name of its own, best a subdomain of the site. */
  host: string
}

export type NewInstallVerificationInput = {
  /** A page that carries the tracker. */
  url: string
}

/** What every refusal looks like; callers branch on error.code. */
export type Error = {
  error: {
    code: "unauthorized" | "forbidden" | "insufficient_scope" | "api_key_required" | "healthcare_scope_forbidden" | "entitlement_required" | "app_provisioned_workspace" | "plan_upgrade_required" | "profile_limit_reached" | "rate_limit_exceeded" | "invalid_request" | "invalid_parameter" | "validation_error" | "invalid_content" | "invalid_date_range" | "invalid_window" | "payload_too_large" | "idempotency_key_conflict" | "idempotency_key_in_flight" | "invalid_state" | "not_found" | "customer_not_found" | "conversion_not_found" | "erasure_not_found" | "campaign_not_found" | "media_expired" | "workspace_archived" | "internal_error" | "service_unavailable" | "not_implemented" | "link_tokens_disabled" | "audit_timeout" | "provider_error" | "provider_not_configured" | "connection_not_ready" | "account_connected_elsewhere" | "meta_connection_required" | "meta_write_permission_missing" | "audience_tos_required" | "account_suspended" | "auth_revoked" | "mailbox_disabled" | "quota_exceeded" | "recipient_rejected" | "calendar_scope_required" | "calendar_unsupported" | "chatapp_register_limit" | "chatapp_payment_required" | "chatapp_otp_relay_unavailable" | "chatapp_service_window_expired" | "messaging_window_closed" | "weak_password" | "compromised_password" | "current_password_required" | "current_password_invalid" | "campaign_not_pausable" | "campaign_not_resumable" | "adset_not_editable" | "budget_change_out_of_bounds" | "clean_dataset_has_live_ad_sets" | "consent_required" | "platform_safe_required" | "unknown_ad" | "demo_purge_blocked" | "customer_not_in_profile" | "amount_invalid" | "manual_refund_exists" | "payment_assignment_incomplete" | "payment_ref_invalid" | "status_invalid" | "range_invalid" | "unknown_answer_key" | "unknown_customer_ref"
    message: string
    status: number
    request_id: string
    docs_url: string
    reason?: string
    required_scopes?: string[]
    retry_after?: number
    reconnect_required?: boolean
    reconnect_url?: string
    [field: string]: unknown
  }
}

/** Whether more rows follow, and what to send to get them. */
export type Pagination = {
  has_next: boolean
  cursor: string | null
}

export type PaymentReceipt = {
  payment_id: string
}

export type EventReceipt = {
  outcome_event_id: string
}

export type EventResult = {
  /** Its place in events, from 0. */
  index: number
  status: "accepted" | "rejected"
  /** Null when rejected. */
  outcome_event_id: string | null
  /** What the same event alone would have been refused with. */
  error: {
    code: "invalid_parameter" | "validation_error"
    message: string
    field: string
  } | null
}

export type EventResults = {
  accepted: number
  rejected: number
  results: EventResult[]
}

export type PlatformTotal = {
  platform: string
  /** In the reporting currency. Where a part of it has no exchange rate, every ratio of it is null. */
  spend: number
  /** Null when the platform reported nothing. */
  platform_conversions: number | null
  platform_conversion_value: string | null
  /** Conversions of every kind credited under the model. */
  atribu_conversions: number
  /** Of these, payments. */
  atribu_cash_conversions: number
  /** Cash credited, refunds subtracted. */
  atribu_cash_revenue: string
  /** atribu_conversions minus platform_conversions: negative when the platform claims more. */
  conversion_gap: number | null
  /** The gap in percent of the platform’s count. */
  conversion_gap_pct: number | null
  value_gap: string | null
  /** The platform’s value by spend; null when platform_conversion_value is null. */
  platform_roas: number | null
  /** Credited cash by spend. */
  atribu_roas: number | null
  /** The one action type that the platform’s count means. */
  reported_basis: string
  reported_basis_description: string
  /** Whether any delivery of the range was synced. */
  has_delivery: boolean
  /** The last day of the range with delivery. */
  delivery_through: string | null
  /** Credited to paid clicks of the platform that named no entity of the level. */
  unassigned_conversions: number
  /** Cash credited to such clicks; in no row and not in atribu_cash_revenue. */
  unassigned_cash_revenue: string
}

export type PlatformComparisonRow = {
  /** Internal id of the row’s own entity, at every level. */
  campaign_id: string
  campaign_name: string
  /** The kind of entity of a row. */
  entity_level: "campaign" | "ad_set" | "ad"
  external_id: string
  platform: string
  /** In the reporting currency. Where a part of it has no exchange rate, every ratio of it is null. */
  spend: number
  /** Null when the platform reported nothing. */
  platform_conversions: number | null
  platform_conversion_value: string | null
  /** Conversions of every kind credited under the model. */
  atribu_conversions: number
  /** Of these, payments. */
  atribu_cash_conversions: number
  /** Cash credited, refunds subtracted. */
  atribu_cash_revenue: string
  /** atribu_conversions minus platform_conversions: negative when the platform claims more. */
  conversion_gap: number | null
  /** The gap in percent of the platform’s count. */
  conversion_gap_pct: number | null
  value_gap: string | null
  /** The platform’s value by spend; null when platform_conversion_value is null. */
  platform_roas: number | null
  /** Credited cash by spend. */
  atribu_roas: number | null
}

export type PlatformComparison = {
  platforms: PlatformTotal[]
  rows: PlatformComparisonRow[]
}

export type CampaignRow = {
  /** Internal id of the row’s own entity, at every level. */
  campaign_id: string
  /** Name of the row’s own entity on the ad platform. */
  campaign_name: string
  /** Ad spend in the reporting currency. Where a part of it has no exchange rate, every ratio of it is null. */
  spend: number
  /** Cash conversions credited under the model. */
  outcome_count: number
  /** Of these, first payments: a deposit and its balance count once, where the first is credited. */
  outcome_count_first_payment: number
  /** Credited cash, refunds subtracted, in the reporting currency. */
  outcome_value: number
  /** Conversions of every kind credited under the model. */
  attributed_outcome_count: number
  /** The same, split by conversion type; a type with nothing credited is absent. */
  attributed_outcomes_by_type: Record<string, number>
  /** outcome_value by spend; null without spend. */
  roas: number | null
  /** spend by outcome_count_first_payment; null without first payments. */
  cac_first_payment: number | null
}

export type CampaignLevelRow = {
  /** Internal id of the row’s own entity, at every level. */
  campaign_id: string
  /** Name of the row’s own entity on the ad platform. */
  campaign_name: string
  /** Ad spend in the reporting currency. Where a part of it has no exchange rate, every ratio of it is null. */
  spend: number
  /** Cash conversions credited under the model. */
  outcome_count: number
  /** Of these, first payments: a deposit and its balance count once, where the first is credited. */
  outcome_count_first_payment: number
  /** Credited cash, refunds subtracted, in the reporting currency. */
  outcome_value: number
  /** Conversions of every kind credited under the model. */
  attributed_outcome_count: number
  /** The same, split by conversion type; a type with nothing credited is absent. */
  attributed_outcomes_by_type: Record<string, number>
  /** outcome_value by spend; null without spend. */
  roas: number | null
  /** spend by outcome_count_first_payment; null without first payments. */
  cac_first_payment: number | null
  /** The kind of entity of a row. */
  entity_level: "campaign" | "ad_set" | "ad"
  /** The ad platform. */
  platform: string
  /** The platform’s id of the row’s own entity. */
  external_id: string
  /** Name of an ad set’s campaign or an ad’s ad set; null for a campaign. */
  parent_name: string | null
  impressions: number
  clicks: number
  /** People reached; over several days the highest day’s figure. */
  reach: number | null
  /** Reach of several days cannot be added up: it is the highest day’s, of one ad. */
  reach_is_daily_max: true
  /** Clicks by impressions, percent. */
  ctr: number | null
  /** Cost of 1,000 impressions. */
  avg_cpm: number | null
  /** Cost of a click. */
  avg_cpc: number | null
  /** spend by outcome_count; null without cash conversions. */
  cac: number | null
  status: string | null
  objective: string | null
  /** In the reporting currency; null when none is set or no exchange rate is known. */
  daily_budget: number | null
  /** The platform’s id of the parent campaign. */
  campaign_external_id: string | null
  /** The platform’s id of the parent ad set. */
  ad_set_external_id: string | null
  /** As the platform reports it, in its 7-day window. */
  messaging_conversations_started_7d: number | null
}

export type EarningTouch = {
  touch_id: string
  touch_time: string
  /** Its place in the path, from 1. */
  position: number
  /** Inside the conversion’s window; only such touches earn credit. */
  in_window: boolean
  /** Its share of the conversion under the model, 0 to 1. */
  credit: number
  channel: string
  source: string | null
  is_direct: boolean
  /** Made for a conversion outside the site that names its ad. */
  is_synthetic: boolean
  /** How the click came to its entity; null when it names none that is known. */
  join_method: string | null
  campaign_id: string | null
  campaign_name: string | null
  ad_set_id: string | null
  ad_set_name: string | null
  ad_id: string | null
  ad_name: string | null
}

export type CampaignConversionRow = {
  conversion_id: string
  /** Id of the outcome behind it, as it was answered at ingest. */
  outcome_event_id: string | null
  conversion_type: string
  revenue_type: string
  occurred_at: string
  /** Its day in the profile’s time zone. */
  date: string
  /** Value less refunds in the reporting currency; null without value or exchange rate. */
  value: number | null
  /** The reporting currency. */
  currency: string
  /** The share that the model gives to the entity asked for, or to all touches; 0 to 1. */
  credit: number
  /** value times credit. */
  credited_value: number | null
  /** Null when the conversion is not a payment. */
  is_first_payment: boolean | null
  /** Touches in the window, direct ones included. */
  path_length: number
  /** Touches in the window, direct ones excluded. */
  touch_count: number
  /** The touches that earned the credit, in order of time. */
  touches: EarningTouch[]
  /** Whose it is; an anonymous visitor’s own id. Only with `customers:read`. */
  customer_profile_id?: string
  /** Only with `customers:read`. */
  customer_name?: string | null
}

export type TopPerformerReason = {
  layer: "efficiency" | "attributed_outcomes" | "pipeline" | "messaging" | "engagement" | "platform_reported"
  polarity: "strength" | "weakness"
  /** Of the cohort, 0 to 100. */
  percentile: number
  sample_confidence: "low" | "medium" | "high"
}

export type TopPerformer = {
  /** The platform’s id of the ad. */
  ad_external_id: string
  ad_name: string
  campaign_name: string
  ad_set_name: string
  creative_thumbnail_url: string | null
  video_id: string | null
  score_window: "7d" | "14d" | "28d" | "lifetime"
  /** 0 to 100: percentile ranks within the cohort, blended. Null when nothing of the ad can be compared. */
  composite_score: number | null
  /** Probability, 0 to 1. Under `rules` a monotone function of composite_score. Neither ROAS nor lift. */
  top_performer_likelihood: number
  /** Of the learned ranker; null under `rules`. */
  model_version: number | null
  score_source: "model" | "rules"
  /** How much evidence the window holds. */
  maturity_stage: "cold" | "early" | "mature" | "calibrated"
  /** predicted: proxy signals only. attributed: at least one conversion is credited. lift: an experiment confirms it. */
  truth_grade: "predicted" | "attributed" | "lift"
  /** Which outcome to headline; `meta` when only the platform reports conversions. */
  primary_outcome_kind: "cash" | "pipeline" | "messaging" | "meta" | "none"
  /** channel|format|objective|audience warmth|geo|placement; `any` where the cohort was widened. */
  cohort_key: string
  cohort_objective: string
  cohort_format: string
  cohort_audience_warmth: string
  /** Ads in the cohort, this one included. */
  cohort_n_ads: number
  hook_type: string | null
  creative_format: string | null
  cta_type: string | null
  primary_angle: string | null
  offers: string[]
  /** In the reporting currency, as all money here. */
  spend: number
  impressions: number
  /** Clicks by impressions, percent. */
  ctr: number | null
  cpc: number | null
  attributed_cash_outcomes: number
  /** Credited cash, refunds subtracted. */
  attributed_revenue: number
  roas: number | null
  cac: number | null
  /** Credited conversions of every kind. */
  attributed_outcomes_total: number
  attributed_pipeline_outcomes: number
  /** Projected, not cash. */
  attributed_pipeline_value: number
  /** The platform’s own count; null when it reports none. It never sets truth_grade. */
  meta_reported_conversions: number | null
  /** What the platform claims; null when it reports nothing, or when a part of it has no exchange rate. */
  meta_reported_conversion_value: number | null
  cost_per_conversation: number | null
  messaging_conversations_started: number | null
  first_reply_rate: number | null
  avg_engagement_score: number | null
  /** What moved the score most comes first. */
  reason_codes: TopPerformerReason[]
}

export type AdRow = {
  /** Internal id of the row’s own entity, at every level. */
  campaign_id: string
  /** Name of the row’s own entity on the ad platform. */
  campaign_name: string
  /** Ad spend in the reporting currency. Where a part of it has no exchange rate, every ratio of it is null. */
  spend: number
  /** Cash conversions credited under the model. */
  outcome_count: number
  /** Of these, first payments: a deposit and its balance count once, where the first is credited. */
  outcome_count_first_payment: number
  /** Credited cash, refunds subtracted, in the reporting currency. */
  outcome_value: number
  /** Conversions of every kind credited under the model. */
  attributed_outcome_count: number
  /** The same, split by conversion type; a type with nothing credited is absent. */
  attributed_outcomes_by_type: Record<string, number>
  /** outcome_value by spend; null without spend. */
  roas: number | null
  /** spend by outcome_count_first_payment; null without first payments. */
  cac_first_payment: number | null
  /** The kind of entity of a row. */
  entity_level: "campaign" | "ad_set" | "ad"
  /** The ad platform. */
  platform: string
  /** The platform’s id of the row’s own entity. */
  external_id: string
  /** Name of an ad set’s campaign or an ad’s ad set; null for a campaign. */
  parent_name: string | null
  impressions: number
  clicks: number
  /** People reached; over several days the highest day’s figure. */
  reach: number | null
  /** Reach of several days cannot be added up: it is the highest day’s, of one ad. */
  reach_is_daily_max: true
  /** Clicks by impressions, percent. */
  ctr: number | null
  /** Cost of 1,000 impressions. */
  avg_cpm: number | null
  /** Cost of a click. */
  avg_cpc: number | null
  /** spend by outcome_count; null without cash conversions. */
  cac: number | null
  status: string | null
  objective: string | null
  /** In the reporting currency; null when none is set or no exchange rate is known. */
  daily_budget: number | null
  /** The platform’s id of the parent campaign. */
  campaign_external_id: string | null
  /** The platform’s id of the parent ad set. */
  ad_set_external_id: string | null
  /** As the platform reports it, in its 7-day window. */
  messaging_conversations_started_7d: number | null
  /** LEARNING, SUCCESS or FAIL, of ad sets only. */
  learning_stage_status: string | null
  /** Objective of the campaign, of ad sets only. */
  campaign_objective: string | null
}

export type CampaignTrendRow = {
  entity_id: string
  date: string
  /** In the reporting currency. */
  spend: number
  impressions: number
  clicks: number
}

export type Unattributed = {
  /** Cash conversions credited under the model. */
  outcome_count: number
  /** Of these, first payments: a deposit and its balance count once, where the first is credited. */
  outcome_count_first_payment: number
  /** Credited cash, refunds subtracted, in the reporting currency. */
  outcome_value: number
  /** Conversions of every kind credited under the model. */
  attributed_outcome_count: number
  /** The same, split by conversion type; a type with nothing credited is absent. */
  attributed_outcomes_by_type: Record<string, number>
}

export type JourneyEvent = {
  event_type: string
  event_name: string
  event_time: string
  /** Of web events only. */
  url: string | null
  path: string | null
  channel: string | null
  /** Traffic source, or payment provider. */
  source: string | null
  medium: string | null
  /** Name of the campaign that the event names. */
  campaign: string | null
  value_amount: number | null
  currency: string | null
  device: string | null
  browser: string | null
  os: string | null
  country: string | null
  city: string | null
  /** An off-site conversion without a visit: it is a touch of its own for its ad. */
  is_synthetic: boolean
}

/** Share of a conversion under each model; a conversion’s touches add up to 1. */
export type Credit = {
  last_touch: number
  first_touch: number
  linear: number
  time_decay: number
  last_non_direct: number
  position_based: number
}

export type CreditedJourneyEvent = {
  event_type: string
  event_name: string
  event_time: string
  /** Of web events only. */
  url: string | null
  path: string | null
  channel: string | null
  /** Traffic source, or payment provider. */
  source: string | null
  medium: string | null
  /** Name of the campaign that the event names. */
  campaign: string | null
  value_amount: number | null
  currency: string | null
  device: string | null
  browser: string | null
  os: string | null
  country: string | null
  city: string | null
  /** An off-site conversion without a visit: it is a touch of its own for its ad. */
  is_synthetic: boolean
  /** Null for an event that is no touch. */
  credit: Credit | null
  /** Whether the touch takes part; null for what is no touch. */
  in_window: boolean | null
}

export type JourneyTouch = {
  touch_id: string
  touch_time: string
  channel: string | null
  /** The platform’s id; null when none is named. */
  campaign_external_id: string | null
  ad_set_external_id: string | null
  ad_external_id: string | null
  click_id_kind: string | null
  /** How the touch came to its ad. */
  join_method: string | null
  credit: Credit
  in_window: boolean
}

/** The conversion, where the journey is of one. */
export type JourneyConversion = {
  /** The caller’s own id of the customer; null when it has none or was erased, and without `customers:read` also when it is itself an e-mail, a phone or a national id. */
  customer_key: string | null
  conversion_id?: string
  outcome_event_id?: string
  conversion_type?: string
  conversion_time?: string
}

export type JourneyPerson = {
  customer_profile_id: string
  name: string | null
  first_name: string | null
  last_name: string | null
  identifiers: {
    type: string
    value: string
  }[]
  counts: {
    conversions: number
    identifiers: number
    browsers: number
  }
  /** Cash in all, less refunds, in the reporting currency. */
  total_revenue: number
  /** The newest 50, newest first. */
  conversions: {
    conversion_id: string
    outcome_event_id: string
    conversion_type: string
    conversion_time: string
    revenue_type: string
    revenue: number
  }[]
}

export type ConversionJourney = {
  events: (CreditedJourneyEvent | JourneyTouch)[]
  total_count: number
}

export type ErasureReceipt = {
  erasure_id: string
  /** Your idempotency key. */
  request_ref: string
  /** The customer is unreachable at once; done says that every store was searched and holds nothing. */
  status: "queued" | "done"
  /** The key sent, or the customer’s key when it was named another way; null if it has none. */
  customer_key: string | null
  reason: "data_subject_request" | "account_closed" | "other"
  requested_at: string
  /** Null while queued. */
  completed_at: string | null
}

export type JourneySummary = {
  text: string
  generated_at: string
  /** How many events it was written from: the first 100 at most. */
  event_count: number
  /** The model that wrote it; `touchline` where the service did itself. */
  generator: string
}

export type JourneySummaryAnswer = {
  /** Null when there is none. */
  summary: JourneySummary | null
  /** Whether it was read from store. */
  cached: boolean
}

export type ImportResult = {
  index: number
  status: "created" | "matched" | "rejected"
  customer_profile_id: string | null
  /** Rejected rows. */
  reason?: "no_identifier" | "invalid_email" | "invalid_phone" | "invalid_national_id" | "malformed_row" | "erased"
}

export type Import = {
  results: ImportResult[]
  summary: {
    total: number
    created: number
    matched: number
    rejected: number
  }
}

export type CustomerRow = {
  conversion_id: string
  /** Customer, or anonymous visitor; the journey takes it. */
  customer_profile_id: string
  /** Null for anonymous visitors and erased customers. */
  name: string | null
  email: string | null
  /** ISO code of the converting session; null when unknown. */
  country: string | null
  device: "desktop" | "mobile" | "tablet" | null
  /** Of the last touch in the window; null without one. */
  channel: string | null
  /** Traffic source of that touch. */
  source: string | null
  /** Value less refunds in the reporting currency; 0 when it has none. */
  revenue: number
  revenue_type: "cash" | "pipeline" | "messaging" | "gross"
  conversion_time: string
  /** From the first touch in the window to the conversion; null without one. */
  time_to_complete_seconds: number | null
  /** Touches in the window, direct ones left out. */
  touch_count: number
  /** Distinct channels of all touches in the window, in order. */
  touch_channels: string[]
  /** Conversions of the customer in all, of every goal. */
  conversion_count: number
  /** Cash of the customer in all, less refunds. */
  total_revenue: number
}

export type LinkTokenRow = {
  index: number
  status: "minted" | "not_found" | "invalid"
  /** The key the customer holds; on a row that did not mint, the key that was sent. Null without customers:read when it is an e-mail, a phone or a national id that the row does not name. */
  customer_key: string | null
  /** Minted rows, for keys with customers:read. */
  customer_profile_id?: string
  /** Minted rows: opaque, encrypted, good in this profile only. */
  token?: string
  /** Minted rows. */
  expires_at?: string
  /** Rows that did not mint. */
  reason?: "no_match" | "erased" | "no_selector" | "unknown_identifier_type" | "malformed_selector"
  /** Rows that did not mint. */
  message?: string
}

/** How a token gets into the links of a tool that people send with. */
export type LinkRecipe = {
  channel: string
  store_token_in: string
  link_template: string
  merge_tag: string
  requires: string
}

export type LinkTokens = {
  param: string
  minted: number
  not_found: number
  invalid: number
  results: LinkTokenRow[]
  recipes: LinkRecipe[]
}

export type Journey = {
  events: JourneyEvent[]
  total_count: number
}

export type JourneyOrTouches = {
  events: (JourneyEvent | JourneyTouch)[]
  total_count: number
}

export type CustomerCandidate = {
  customer_profile_id: string
  first_name: string | null
  last_name: string | null
  /** The one that was known first. */
  primary_email: string | null
  /** E.164; the one that was known first. */
  primary_phone: string | null
  first_seen_at: string | null
  last_seen_at: string | null
  conversion_count: number
  /** Exact decimal in the reporting currency, less refunds. */
  cash_revenue: string
  /** Who told of the customer: tracker, server, or a CRM or payment provider by its name. */
  sources: string[]
}

export type GoalDefinition = {
  id: string
  /** What the conversion is called in reports and filters. */
  conversion_key: string
  /** What people call it. */
  name: string
  /** The event types that count. A type belongs to one definition at most; none at all counts nothing. */
  event_types: string[]
  /** `cash` is money received, `pipeline` an outcome on the way to it, `messaging` a conversation. */
  revenue_type: "cash" | "pipeline" | "messaging" | "gross"
  /** Whether its conversions are credited to ads. */
  is_attribution_eligible: boolean
  /** How many days back touches take part in credit. */
  lookback_window_days: number
  /** Whether it is one of the headline goals, listed first. */
  is_default: boolean
  /** One more at every change. */
  version: number
  created_at: string
  updated_at: string
}

export type Goal = {
  /** What to send as `goal` where a read asks for one. */
  goal: string
  /** What people call it. */
  name: string
  /** `cash` is money received, `pipeline` an outcome on the way to it, `messaging` a conversation. */
  revenue_type: "cash" | "pipeline" | "messaging" | "gross"
  /** Whether it is one of the headline goals, listed first. */
  is_default: boolean
}

export type ApiKey = {
  id: string
  name: string | null
  /** The app that holds it; null for a key of the workspace itself. */
  app_id: string | null
  scopes: string[]
  rate_limit_per_minute: number
  status: "active" | "revoked" | "expired"
  created_at: string
  expires_at: string | null
  /** To the minute. */
  last_used_at: string | null
  /** The key that takes its place. */
  rotated_to: string | null
}

export type MintedApiKey = {
  id: string
  name: string | null
  /** The app that holds it; null for a key of the workspace itself. */
  app_id: string | null
  scopes: string[]
  rate_limit_per_minute: number
  status: "active" | "revoked" | "expired"
  created_at: string
  expires_at: string | null
  /** To the minute. */
  last_used_at: string | null
  /** The key that takes its place. */
  rotated_to: string | null
  /** The whole key, shown this once. */
  key: string
}

/** What an app may do on a profile. */
export type Grant = {
  app_id: string
  app_name: string
  scopes: string[]
  created_at: string
  updated_at: string
}

export type HookEndpoint = {
  id: string
  /** Whose notifications: stripe, shopify, or generic for any other that signs as Standard Webhooks do. */
  provider: "stripe" | "shopify" | "generic"
  /** The provider that its payments and outcomes are filed under. */
  source: string
  /** What the provider is told to call. */
  address: string
  created_at: string
  /** Until then the secret before verifies too. */
  rotation_ends_at: string | null
}

export type HookEndpointWithSecret = {
  id: string
  /** Whose notifications: stripe, shopify, or generic for any other that signs as Standard Webhooks do. */
  provider: "stripe" | "shopify" | "generic"
  /** The provider that its payments and outcomes are filed under. */
  source: string
  /** What the provider is told to call. */
  address: string
  created_at: string
  /** Until then the secret before verifies too. */
  rotation_ends_at: string | null
  /** What notifications are signed with. Shown this once. */
  secret: string
}

export type HookDelivery = {
  id: string
  endpoint_id: string
  provider: string
  /** What the provider calls it. */
  topic: string
  /** mapped: told to the pipeline; superseded: something newer was told before; ignored: changes no figure; unmappable: genuine, but not understood. */
  status: "mapped" | "superseded" | "ignored" | "unmappable"
  reason: string | null
  /** How many messages it became. */
  messages: number
  received_at: string
  /** Its payload went with the person it named. */
  is_erased: boolean
}

export type ListedHookEndpoint = {
  id: string
  /** Whose notifications: stripe, shopify, or generic for any other that signs as Standard Webhooks do. */
  provider: "stripe" | "shopify" | "generic"
  /** The provider that its payments and outcomes are filed under. */
  source: string
  /** What the provider is told to call. */
  address: string
  created_at: string
  /** Until then the secret before verifies too. */
  rotation_ends_at: string | null
  /** The last notification that it took. */
  last_delivery_at: string | null
}

/** What a person may do in a workspace. */
export type Role = "owner" | "admin" | "member"

export type Workspace = {
  id: string
  name: string
  plan: string
  active_profiles: number
  /** What the plan has room for; null is no limit. */
  active_profiles_limit: number | null
  /** Every profile of it counts as a healthcare profile. */
  is_healthcare_agency: boolean
  /** The app that provisioned it. */
  provisioned_by: string | null
  created_at: string
}

export type Member = {
  user_id: string
  email: string
  role: Role
  joined_at: string
}

export type Invitation = {
  id: string
  workspace_id: string
  email: string
  role: Role
  status: "open" | "accepted" | "revoked" | "expired"
  created_at: string
  expires_at: string
}

export type IssuedInvitation = {
  id: string
  workspace_id: string
  email: string
  role: Role
  status: "open" | "accepted" | "revoked" | "expired"
  created_at: string
  expires_at: string
  token: string
}

export type PaymentPayer = {
  customer_profile_id: string
  first_name: string | null
  last_name: string | null
  primary_email: string | null
  primary_phone: string | null
}

/** A payment with the merchant’s actions applied. */
export type Payment = {
  payment_id: string
  /** Who told of it: a payment provider, a server event, a CRM or the tracker. */
  source: "payment" | "server" | "crm" | "tracker"
  provider: string | null
  /** The provider's own id; null where there is none. */
  external_id: string | null
  occurred_at: string
  /** What was paid. An exact decimal in the payment's currency. */
  amount: string
  /** What is left after every refund. An exact decimal in the payment's currency. */
  net_amount: string
  currency: string
  /** What the provider has reversed. An exact decimal in the payment's currency. */
  refunded_provider: string
  /** What was refunded outside the provider. An exact decimal in the payment's currency. */
  refunded_manual: string
  /** Both refunds together are above the payment, as when the provider refunds after you did. */
  is_refund_capped: boolean
  /** Marked as a later installment: never a first payment. */
  is_installment: boolean
  /** Null until it is derived. */
  is_first_payment: boolean | null
  /** The merchant said who paid. */
  is_payer_assigned: boolean
  /** Whether it is known who paid. */
  status: "identified" | "unidentified"
  /** Null when unknown, and without customers:read. */
  payer: PaymentPayer | null
}

export type PaymentAction = {
  kind: "installment" | "payer" | "refund"
  at: string
  /** The credential that decided it; null when it was not decided over the API. */
  by: {
    credential: string
    id: string
  } | null
  request_id: string | null
  is_installment: boolean | null
  /** 0 when the refund was taken back. */
  refunded_manual: string | null
  /** What was refunded in. */
  currency: string | null
  /** The assigned payer; null when given back, and without customers:read. */
  customer_profile_id: string | null
}

export type Profile = {
  id: string
  workspace_id: string
  name: string
  reporting_currency: string
  timezone: string
  /** `platform_safe` and `hipaa` make it a healthcare profile: no partner reads single persons there. */
  privacy_mode: "standard" | "platform_safe" | "hipaa"
  /** By its own mode, or by the mark of its workspace. */
  is_healthcare: boolean
  /** The app that provisioned it. */
  provisioned_by: string | null
  entitlements: {
    atribu_attribution: {
      /** Whether writes are open. */
      enabled: boolean
    }
  }
  status: "active" | "archived"
  created_at: string
}

export type McpToken = {
  id: string
  name: string
  scopes: string[]
  created_at: string
  expires_at: string
  last_used_at: string | null
}

export type MintedMcpToken = {
  id: string
  name: string
  scopes: string[]
  created_at: string
  expires_at: string
  last_used_at: string | null
  token: string
}

export type Session = {
  user: {
    id: string
    email: string
  }
  /** Sent as X-CSRF-Token with whatever changes something. */
  csrf_token: string
  memberships: ({
    workspace_id: string
    workspace_name: string
    role: "owner" | "admin" | "member"
  })[]
}

export type ReplayStatus = {
  id: string
  kind: "full" | "partial"
  /** A full replay is `flipped` once its figures are the ones reported and the last changes are being settled. A failed one is taken up again or given up by an operator. */
  status: "running" | "flipped" | "completed" | "failed"
  /** Since when messages are read again; null is from the first. */
  from: string | null
  progress_percent: number
  started_at: string
  finished_at: string | null
}

export type TrackingKey = {
  id: string
  /** What the tracker sends. Public by nature. */
  key: string
  status: "active" | "revoked"
  created_at: string
  /** The last hit that was accepted, to the minute, or null while there is none. */
  last_seen_at: string | null
}

export type PiiAccess = {
  id: string
  occurred_at: string
  profile_id: string | null
  /** Who read. */
  credential: {
    kind: "api_key" | "session" | "mcp" | "app"
    id: string
    /** The app behind a token or a delegated key. */
    app_id: string | null
    /** The person behind a session or an MCP token. */
    user_id: string | null
  }
  operation: string
  method: string
  /** The template, without ids. */
  route: string
  status: number
  /** `read` gave persons away, `empty` found none, `refused` was not allowed, `failed` was an error of ours. */
  result: "read" | "empty" | "refused" | "failed"
  /** How many persons the answer told of. */
  person_count: number
  request_id: string | null
}

export type TrackingSettings = {
  /** `required`: the tracker stores and sends nothing before `touchline.consent(true)`. */
  consent_mode: "required" | "not_required"
  /** Global Privacy Control is a refusal. */
  honour_gpc: boolean
  /** Do Not Track is a refusal. */
  honour_dnt: boolean
  /** Which changes of the address are page views: of the path and query, of the fragment as well, or none. */
  spa_mode: "history" | "hash" | "off"
  /** Null is the widest domain that the browser takes. */
  cookie_domain: string | null
  cookie_days: number
  /** Whose hits are taken; an empty list is everybody’s. A store’s pixel sends from no origin: list `null` for it. */
  allowed_origins: string[]
  /** What is kept of where a hit came from. */
  location_detail: "city" | "country" | "none"
}

export type DnsRecord = {
  type: "TXT" | "CNAME"
  name: string
  value: string
}

export type DomainCheck = {
  record: "TXT" | "CNAME"
  name: string
  expected: string
  found: string[]
  ok: boolean
}

export type CustomDomain = {
  id: string
  host: string
  /** Only a verified host is served. */
  status: "pending" | "verified" | "failed"
  /** What to put into the zone of the domain. */
  dns_records: DnsRecord[]
  /** What the last check found; empty before the first. */
  checks: DomainCheck[]
  checked_at: string | null
  created_at: string
}

export type TrackedEvent = {
  event_id: string
  source: "tracker" | "server" | "crm" | "payment"
  event_type: string
  event_name: string | null
  event_time: string
  received_at: string
  /** The browser, when it is known. */
  visitor_id: string | null
  url: string | null
  path: string | null
  referrer: string | null
  channel: string | null
  traffic_source: string | null
  medium: string | null
  /** UTM tags without their prefix. */
  utm: Record<string, string>
  click_id_kind: string | null
  /** Platform id that the event names. */
  campaign_ref: string | null
  ad_set_ref: string | null
  ad_ref: string | null
  provider: string | null
  /** Of outcomes that servers, CRMs and providers report. */
  value_amount: number | null
  currency: string | null
  device: string | null
  browser: string | null
  os: string | null
  country: string | null
  city: string | null
  is_bot: boolean
}

export type TopicLag = {
  topic: string
  messages: number
  lag: number
}

export type EventRate = {
  hour: string
  source: string
  events: number
}

export type TableSize = {
  name: string
  rows: number
  bytes: number
}

export type RefusalCount = {
  source: string
  reason: string
  count: number
}

export type TrackingOps = {
  /** Of the whole deployment: messages not processed yet. Null while the brokers do not answer. */
  lag: TopicLag[] | null
  total_lag: number | null
  /** What the profile received in each of the last 24 hours, newest first, of events that happened in the last 72 hours: what came later than that is left out. */
  rates: EventRate[]
  /** The profile’s stored rows, and their share of the bytes on disk. */
  tables: TableSize[]
  /** What was turned away in the last 7 days: by the collector, or from a topic. */
  rejected: RefusalCount[]
}

export type TrackingOrigin = {
  origin: string
  collect_url: string
  script_url: string
  source: "custom_domain" | "default"
  /** The verified domain in use, if any. */
  custom_domain: string | null
}

export type QualityDetail = {
  label: string
  count: number
}

export type QualityCheck = {
  /** `conversions_joined`, `ad_id_coverage`, `unknown_keys`, `rejected_share`, `unmappable_notifications`, `clock_skew_share`, `duplicate_share`, `minutes_since_last_hit`, `identity_guards`, `missing_fx_rates`, `unlisted_event_types`. */
  key: string
  status: "pass" | "warn" | "fail" | "no_data"
  /** A share from 0 to 1, a count, or minutes; null without data. */
  value: number | null
  /** Where `pass` ends. */
  threshold: number
  /** What to do about it. */
  fix: string | null
  /** What the value is made of: reasons, currencies, event types. */
  details: QualityDetail[]
}

export type ReadinessStep = {
  key: string
  is_done: boolean
  fix: string | null
}

export type TrackingQuality = {
  /** The worst of the checks. */
  status: "pass" | "warn" | "fail" | "no_data"
  checks: QualityCheck[]
  /** Steps from nothing to credited conversions, `crm_or_outcome_source_connected` among them. */
  readiness: ReadinessStep[]
  /** How far back hits and refusals are looked at. */
  recent_days: number
  /** How far back conversions and notifications are looked at. */
  conversion_days: number
}

/** This very script, unchanged for ever, and its integrity value. */
export type PinnedScript = {
  src: string
  integrity: string
}

export type Snippet = {
  /** HTML for the top of every page’s head: settings, and the script without waiting. */
  snippet: string
  /** One element without code in the page, for a content-security policy that forbids it. It has to be the first script. */
  tag: string
  /** The script, always the newest. */
  src: string
  pinned: PinnedScript
  collect_url: string
  tracking_key: string
  pixel_id: string | null
}

/** What to choose in the pixel’s privacy settings. */
export type StorePixelPrivacy = {
  permission: "required" | "not_required"
  purposes: string[]
  data_sale: string
}

export type StorePixel = {
  name: string
  /** The code of a custom pixel, for the store’s customer-event settings. */
  code: string
  /** Events of the store that it subscribes to. */
  events: string[]
  customer_privacy: StorePixelPrivacy
  tracking_key: string
  collect_url: string
  /** Whether its hits are taken: the store runs it in a frame without an origin. Where false, add `null` to the allowed_origins of the settings. */
  is_origin_allowed: boolean
}

export type TagManagerContainer = {
  file_name: string
  /** In the tag manager’s export format, version 2: what its import takes, saved as a file. */
  container: Record<string, unknown>
}

export type InstallCheck = {
  /** `page_reachable`, `snippet_found`, `key_matches`, `installed_once`, `placed_first`, `policy_allows`, `hits_arriving`. */
  key: string
  status: "pass" | "warn" | "fail"
  message: string
}

export type InstallVerification = {
  id: string
  status: "running" | "passed" | "failed"
  url: string
  /** Empty while it runs. */
  checks: InstallCheck[]
  started_at: string
  finished_at: string | null
}

/** What each operation takes and answers with. */
export interface Operations {
  /** Report what campaigns, ad sets or ads cost and earned */
  listCampaigns: {
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** The attribution model. */
      model?: "last_touch" | "first_touch" | "linear" | "time_decay" | "last_non_direct" | "position_based"
      /** The kind of entity of a row. */
      level?: "campaign" | "ad_set" | "ad"
      /** Rows, 1 to 100. */
      limit?: number
      /** Only entities of this ad platform. */
      platform?: string
      /** What rows are ranked by, highest first. */
      sort?: "outcome_value" | "outcome_count" | "attributed_outcome_count" | "spend" | "roas" | "impressions" | "clicks"
      /** The `pagination.cursor` of the page before; without it the first page is returned. */
      cursor?: string
    }
    answer: {
      data: (CampaignLevelRow | CampaignRow)[]
      pagination: Pagination
      meta: {
        profile_id: string
        date_from: string
        date_to: string
      }
    }
  }
  /** Read the remainder that no entity earned */
  readUnattributed: {
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** The attribution model. */
      model?: "last_touch" | "first_touch" | "linear" | "time_decay" | "last_non_direct" | "position_based"
      /** The kind of entity of a row. */
      level?: "campaign" | "ad_set" | "ad"
    }
    answer: {
      data: Unattributed
      meta: {
        profile_id: string
        date_from: string
        date_to: string
      }
    }
  }
  /** Follow entities day by day */
  readCampaignTrend: {
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** Internal ids (`campaign_id` of report rows), comma-separated, at most 10. */
      entity_ids: string
      /** The kind of entity of a row. */
      level?: "campaign" | "ad_set" | "ad"
    }
    answer: {
      data: CampaignTrendRow[]
      pagination: Pagination
      meta: {
        profile_id: string
        date_from: string
        date_to: string
      }
    }
  }
  /** List the conversions behind a figure */
  listCampaignConversions: {
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** The attribution model. */
      model?: "last_touch" | "first_touch" | "linear" | "time_decay" | "last_non_direct" | "position_based"
      /** Only conversions that the campaign earned; its internal id. At most one entity. */
      campaign_id?: string
      /** Only conversions that the ad set earned; its internal id. At most one entity. */
      ad_set_id?: string
      /** Only conversions that the ad earned; its internal id. At most one entity. */
      ad_id?: string
      /** Only conversions of this type. */
      conversion_type?: string
      /** Rows, 1 to 200. */
      limit?: number
      /** The `pagination.cursor` of the page before; without it the first page is returned. */
      cursor?: string
    }
    answer: {
      data: CampaignConversionRow[]
      pagination: Pagination
      meta: {
        profile_id: string
        date_from: string
        date_to: string
      }
    }
  }
  /** Hold what ad platforms claim against what was credited */
  comparePlatforms: {
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** The attribution model. */
      model?: "last_touch" | "first_touch" | "linear" | "time_decay" | "last_non_direct" | "position_based"
      /** The kind of entity of a row. */
      level?: "campaign" | "ad_set" | "ad"
    }
    answer: {
      data: PlatformComparison
      meta: {
        profile_id: string
        date_from: string
        date_to: string
        row_count: number
      }
    }
  }
  /** Report what one ad, ad set or campaign cost and earned */
  readAd: {
    path: {
      /** Internal id, or the platform’s id. */
      id: string
    }
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** The attribution model. */
      model?: "last_touch" | "first_touch" | "linear" | "time_decay" | "last_non_direct" | "position_based"
      /** The kind of entity of a row. */
      level?: "campaign" | "ad_set" | "ad"
      /** The platform, should two of them use the same id. */
      platform?: string
    }
    answer: {
      data: AdRow
      meta: {
        profile_id: string
        date_from: string
        date_to: string
      }
    }
  }
  /** Rank ads by how they do among their like */
  listTopPerformers: {
    query?: {
      /** The days that the score looks at, ending with the last closed one. */
      window?: "7d" | "14d" | "28d" | "lifetime"
      /** Rows, 1 to 50. */
      limit?: number
      /** Least spend in the window, in the reporting currency. */
      min_spend?: string
      /** Comma-separated: messaging, sales, leads, traffic, awareness. */
      objectives?: string
      /** Comma-separated: predicted, attributed, lift. */
      truth_grades?: string
      /** Comma-separated: cash, pipeline, messaging, meta, none. */
      outcome_kinds?: string
      /** Comma-separated creative formats: ugc_video, talking_head, static, carousel and others. */
      formats?: string
      /** `true` keeps video creatives only, `false` static ones only. */
      has_video?: boolean
    }
    answer: {
      data: TopPerformer[]
      pagination: Pagination
      meta: {
        profile_id: string
        /** When the window was scored; null when it never was. */
        scored_at: string | null
        /** The last day of the window. */
        scored_through: string | null
      }
    }
  }
  /** List the customers who reached a goal */
  listCustomers: {
    query: {
      /** The first day, in the profile's time zone. */
      date_from: string
      /** The last day, in the profile's time zone. */
      date_to: string
      /** Key of a conversion definition. */
      goal: string
      /** A part of the name or e-mail. */
      search?: string
      /** Rows, 1 to 100. */
      limit?: number
      /** What stands before the | of the previous cursor; sent together with cursor_id. */
      cursor_time?: string
      /** What stands behind the | of the previous cursor. */
      cursor_id?: string
    }
    answer: {
      data: CustomerRow[]
      pagination: Pagination
      meta: {
        profile_id: string
        date_from: string
        date_to: string
      }
    }
  }
  /** Import customers */
  importCustomers: {
    body: {
      /** ISO 3166-1 alpha-2: whose national_id, and the region of phones without +. */
      country?: string
      /** Up to 1000 rows. */
      rows: ImportRowInput[]
    }
    answer: {
      data: Import
      meta: {
        profile_id: string
      }
    }
  }
  /** Find customers by name, e-mail or phone */
  searchCustomers: {
    query: {
      /** What was typed. */
      q: string
      /** A customer to leave out. */
      exclude?: string
      /** Rows, 1 to 50. */
      limit?: number
    }
    answer: {
      data: CustomerCandidate[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Read a customer’s events in order of time */
  readJourney: {
    path: {
      id: string
    }
    query?: {
      /** Rows to skip. */
      offset?: number
      /** Rows, 1 to 100. */
      limit?: number
    }
    answer: {
      data: Journey
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the stored summary of a journey */
  readJourneySummary: {
    path: {
      id: string
    }
    answer: {
      data: JourneySummaryAnswer
      meta: {
        profile_id: string
      }
    }
  }
  /** Generate the summary of a journey */
  generateJourneySummary: {
    path: {
      id: string
    }
    answer: {
      data: JourneySummaryAnswer
      meta: {
        profile_id: string
      }
    }
  }
  /** List the goals that a report or a customer list can ask for */
  listGoals: {
    answer: {
      data: Goal[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Create a goal */
  createGoal: {
    body: SentGoalInput
    answer: {
      data: GoalDefinition
      meta: {
        profile_id: string
      }
    }
  }
  /** List the conversion definitions */
  listGoalDefinitions: {
    answer: {
      data: GoalDefinition[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Create or change a conversion definition */
  saveGoalDefinition: {
    body: SentGoalDefinitionInput
    answer: {
      data: GoalDefinition
      meta: {
        profile_id: string
      }
    }
  }
  /** Read a conversion definition */
  readGoalDefinition: {
    path: {
      id: string
    }
    answer: {
      data: GoalDefinition
      meta: {
        profile_id: string
      }
    }
  }
  /** Read what led to a conversion */
  readConversionJourney: {
    path: {
      id: string
    }
    query?: {
      /** Rows to skip. */
      offset?: number
      /** Rows, 1 to 100. */
      limit?: number
    }
    answer: {
      data: ConversionJourney
      meta: {
        profile_id: string
        conversion: JourneyConversion
        person?: JourneyPerson
      }
    }
  }
  /** Issue the tracking key of the profile */
  issueTrackingKey: {
    answer: {
      data: TrackingKey
      meta: {
        profile_id: string
      }
    }
  }
  /** List the active tracking keys */
  listTrackingKeys: {
    answer: {
      data: TrackingKey[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Revoke a tracking key */
  revokeTrackingKey: {
    path: {
      id: string
    }
    answer: {
      data: TrackingKey
      meta: {
        profile_id: string
      }
    }
  }
  /** Read how far the most recent attribution replay is */
  readReplayStatus: {
    answer: {
      data: ReplayStatus | null
      meta: {
        profile_id: string
      }
    }
  }
  /** List who read personal data */
  listPiiAccessLog: {
    path: {
      workspaceId: string
    }
    query?: {
      /** Reads of one profile. */
      profile_id?: string
      /** Reads with one credential. */
      credential_id?: string
      /** A route’s template, or an operation. */
      route?: string
      /** From this time, or from the start of this day (UTC). */
      from?: string
      /** Before this time, or to the end of this day (UTC). */
      to?: string
      /** Rows, 1 to 200. */
      limit?: number
      /** The `pagination.cursor` of the page before; without it the first page is returned. */
      cursor?: string
    }
    answer: {
      data: PiiAccess[]
      pagination: Pagination
      meta: {
        profile_id: string | null
      }
    }
  }
  /** List payments with the merchant’s actions applied */
  listPayments: {
    query: {
      status?: "all" | "unidentified"
      /** The first moment; a day (YYYY-MM-DD) is the whole day in the profile's time zone. */
      from: string
      /** The last moment; a day (YYYY-MM-DD) is the whole day in the profile's time zone. */
      to: string
      /** Rows, 1 to 200. */
      limit?: number
      /** pagination.cursor of the page before. */
      cursor?: string
    }
    answer: {
      data: Payment[]
      pagination: Pagination
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** Read one payment with the merchant’s actions applied */
  readPayment: {
    path: {
      /** A payment_id of the list. */
      payment_id: string
    }
    answer: {
      data: Payment
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** List who decided what about a payment */
  listPaymentActions: {
    path: {
      /** A payment_id of the list. */
      payment_id: string
    }
    answer: {
      data: PaymentAction[]
      pagination: Pagination
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** Mark or unmark a payment as a later installment */
  markInstallment: {
    path: {
      /** A payment_id of the list. */
      payment_id: string
    }
    body: InstallmentMarkInput
    answer: {
      data: Payment
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** Assign who paid */
  assignPayer: {
    path: {
      /** A payment_id of the list. */
      payment_id: string
    }
    body: PayerAssignmentInput
    answer: {
      data: Payment
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** Record a refund made outside the provider */
  recordRefund: {
    path: {
      /** A payment_id of the list. */
      payment_id: string
    }
    body: ManualRefundInput
    answer: {
      data: Payment
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** Undo a manually recorded refund */
  undoRefund: {
    path: {
      /** A payment_id of the list. */
      payment_id: string
    }
    answer: {
      data: Payment
      meta: {
        profile_id: string
        /** The credential lacks customers:read, so no payer is shown. */
        payer_withheld: boolean
      }
    }
  }
  /** Create a workspace */
  createWorkspace: {
    body: {
      name: string
      is_healthcare_agency?: boolean
    }
    answer: {
      data: Workspace
      meta: {
        profile_id: string | null
      }
    }
  }
  /** List the workspaces of a person, or those that an app made */
  listWorkspaces: {
    query?: {
      /** Rows, 1 to 200. */
      limit?: number
      /** The `pagination.cursor` of the page before; without it the first page is returned. */
      cursor?: string
    }
    answer: {
      data: Workspace[]
      pagination: Pagination
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Read a workspace */
  readWorkspace: {
    path: {
      workspaceId: string
    }
    answer: {
      data: Workspace
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Change a workspace */
  updateWorkspace: {
    path: {
      workspaceId: string
    }
    body: {
      name?: string
      is_healthcare_agency?: boolean
    }
    answer: {
      data: Workspace
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Archive a workspace for good */
  archiveWorkspace: {
    path: {
      workspaceId: string
    }
    answer: {
      data: {
        id: string
        archived: true
      }
      meta: {
        profile_id: string | null
      }
    }
  }
  /** List the people of a workspace */
  listMembers: {
    path: {
      workspaceId: string
    }
    answer: {
      data: Member[]
      pagination: Pagination
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Change the role of a person */
  changeMember: {
    path: {
      workspaceId: string
      userId: string
    }
    body: {
      role: RoleInput
    }
    answer: {
      data: Member
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Take a person out of a workspace */
  removeMember: {
    path: {
      workspaceId: string
      userId: string
    }
    answer: {
      data: {
        user_id: string
        removed: true
      }
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Invite a person to a workspace */
  inviteMember: {
    path: {
      workspaceId: string
    }
    body: {
      email: string
      role?: RoleInput
    }
    answer: {
      data: IssuedInvitation
      meta: {
        profile_id: string | null
      }
    }
  }
  /** List the invitations to a workspace */
  listInvitations: {
    path: {
      workspaceId: string
    }
    answer: {
      data: Invitation[]
      pagination: Pagination
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Take an invitation back */
  revokeInvitation: {
    path: {
      workspaceId: string
      invitationId: string
    }
    answer: {
      data: Invitation
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Create a profile */
  createProfile: {
    body: {
      name: string
      /** Needed by people who belong to several workspaces. */
      workspace_id?: string
      /** The currency of its reports, ISO 4217. */
      reporting_currency?: string
      /** Whose days its reports use. */
      timezone?: string
      /** `platform_safe` and `hipaa` make it a healthcare profile: no partner reads single persons there. */
      privacy_mode?: "standard" | "platform_safe" | "hipaa"
    }
    answer: {
      data: Profile
      meta: {
        profile_id: string | null
      }
    }
  }
  /** List the profiles that the caller reaches */
  listProfiles: {
    query?: {
      /** Rows, 1 to 200. */
      limit?: number
      /** The `pagination.cursor` of the page before; without it the first page is returned. */
      cursor?: string
    }
    answer: {
      data: Profile[]
      pagination: Pagination
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Read a profile */
  readProfile: {
    path: {
      profileId: string
    }
    answer: {
      data: Profile
      meta: {
        profile_id: string
      }
    }
  }
  /** Change a profile */
  updateProfile: {
    path: {
      profileId: string
    }
    body: {
      name?: string
      /** The currency of its reports, ISO 4217. */
      reporting_currency?: string
      /** Whose days its reports use. */
      timezone?: string
      /** `platform_safe` and `hipaa` make it a healthcare profile: no partner reads single persons there. */
      privacy_mode?: "standard" | "platform_safe" | "hipaa"
    }
    answer: {
      data: Profile
      meta: {
        profile_id: string
      }
    }
  }
  /** Delete an archived profile for good */
  deleteProfile: {
    path: {
      profileId: string
    }
    answer: {
      data: {
        id: string
        deleted: true
      }
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Archive a profile */
  archiveProfile: {
    path: {
      profileId: string
    }
    answer: {
      data: Profile
      meta: {
        profile_id: string
      }
    }
  }
  /** Bring an archived profile back */
  restoreProfile: {
    path: {
      profileId: string
    }
    answer: {
      data: Profile
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Switch attribution on or off for a profile that the app provisioned */
  setEntitlement: {
    path: {
      profileId: string
    }
    body: {
      enabled: boolean
      /** `platform_safe` and `hipaa` make it a healthcare profile: no partner reads single persons there. */
      privacy_mode?: "standard" | "platform_safe" | "hipaa"
    }
    answer: {
      data: Profile
      meta: {
        profile_id: string
      }
    }
  }
  /** List which apps may act on a profile */
  listGrants: {
    path: {
      profileId: string
    }
    answer: {
      data: Grant[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Let an app act on a profile */
  grantApp: {
    path: {
      profileId: string
      appId: string
    }
    body: {
      scopes: ScopeInput[]
    }
    answer: {
      data: Grant
      meta: {
        profile_id: string
      }
    }
  }
  /** Take an app’s grant away */
  revokeGrant: {
    path: {
      profileId: string
      appId: string
    }
    answer: {
      data: {
        app_id: string
        revoked: true
      }
      meta: {
        profile_id: string
      }
    }
  }
  /** Mint an API key for a profile */
  mintKey: {
    path: {
      profileId: string
    }
    body: {
      name?: string
      scopes?: ScopeInput[]
      /** Requests a minute, 300 by default; an app gives its keys no more than its tier has. */
      rate_limit_per_minute?: number
      expires_at?: string
    }
    answer: {
      data: MintedApiKey
      meta: {
        profile_id: string
      }
    }
  }
  /** List the API keys of a profile */
  listKeys: {
    path: {
      profileId: string
    }
    answer: {
      data: ApiKey[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Replace an API key by a new one */
  rotateKey: {
    path: {
      profileId: string
      keyId: string
    }
    body: {
      /** How long the old key goes on working, up to a week. */
      overlap_seconds?: number
    }
    answer: {
      data: MintedApiKey
      meta: {
        profile_id: string
      }
    }
  }
  /** Revoke an API key */
  revokeKey: {
    path: {
      profileId: string
      keyId: string
    }
    answer: {
      data: ApiKey
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the journey of a customer you know by your own id */
  readJourneyByKey: {
    query?: {
      /** Your own id of the customer, as sent in `user_traits.external_id`. */
      customer_key?: string
      /** Needs `customers:read`. */
      email?: string
      /** With its country code. Needs `customers:read`. */
      phone?: string
      /** Rows to skip. */
      offset?: number
      /** Rows, 1 to 100. */
      limit?: number
    }
    answer: {
      data: JourneyOrTouches
      meta: {
        profile_id: string
        person?: JourneyPerson
        conversion?: JourneyConversion
      }
    }
  }
  /** Mint tokens that bind a browser to a customer */
  mintLinkTokens: {
    body: {
      /** Up to 500 rows. */
      customers: LinkTokenSelectorInput[]
      expires_in_days?: number
      /** ISO 3166-1 alpha-2: the region of phones without +. */
      country?: string
    }
    answer: {
      data: LinkTokens
      meta: {
        profile_id: string
      }
    }
  }
  /** Erase a customer */
  eraseCustomer: {
    body: ErasureRequestInput
    answer: {
      data: ErasureReceipt
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the receipt of an erasure */
  readErasure: {
    path: {
      erasure_id: string
    }
    answer: {
      data: ErasureReceipt
      meta: {
        profile_id: string
      }
    }
  }
  /** Erase a customer from the console */
  eraseCustomerInWorkspace: {
    path: {
      workspaceId: string
    }
    body: ConsoleErasureRequestInput
    answer: {
      data: ErasureReceipt
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Read what installs the tracker on a site */
  readSnippet: {
    query?: {
      /** Bundles the ad platform’s pixel, under the same consent. */
      pixel_id?: string
    }
    answer: {
      data: Snippet
      meta: {
        profile_id: string
      }
    }
  }
  /** Read a tag-manager container that installs the tracker */
  readTagManagerContainer: {
    query?: {
      /** The container alone, as a file that can be imported as it is. */
      download?: "true" | "false"
    }
    answer: {
      data: TagManagerContainer
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the payload of a store web pixel */
  readShopifyPixel: {
    answer: {
      data: StorePixel
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the payload of a store web pixel */
  readStorePixel: {
    answer: {
      data: StorePixel
      meta: {
        profile_id: string
      }
    }
  }
  /** Read where the profile’s tracker collects */
  readTrackingOrigin: {
    answer: {
      data: TrackingOrigin
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the settings of the tracker */
  readTrackingSettings: {
    answer: {
      data: TrackingSettings
      meta: {
        profile_id: string
      }
    }
  }
  /** Change settings of the tracker */
  changeTrackingSettings: {
    body: TrackingSettingsChangeInput
    answer: {
      data: TrackingSettings
      meta: {
        profile_id: string
      }
    }
  }
  /** List first-party tracking domains */
  listCustomDomains: {
    answer: {
      data: CustomDomain[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Register a first-party tracking domain */
  registerCustomDomain: {
    body: NewCustomDomainInput
    answer: {
      data: CustomDomain
      meta: {
        profile_id: string
      }
    }
  }
  /** Remove a first-party tracking domain */
  removeCustomDomain: {
    path: {
      id: string
    }
    answer: {
      data: CustomDomain
      meta: {
        profile_id: string
      }
    }
  }
  /** Check the DNS records of a tracking domain */
  verifyCustomDomain: {
    path: {
      id: string
    }
    answer: {
      data: CustomDomain
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the latest install verification */
  readInstallVerification: {
    answer: {
      data: InstallVerification | null
      meta: {
        profile_id: string
      }
    }
  }
  /** Start an install verification */
  startInstallVerification: {
    body: NewInstallVerificationInput
    answer: {
      data: InstallVerification
      meta: {
        profile_id: string
      }
    }
  }
  /** Read the health of the tracking */
  readTrackingQuality: {
    answer: {
      data: TrackingQuality
      meta: {
        profile_id: string
      }
    }
  }
  /** Read diagnostics of the warehouse */
  readTrackingOps: {
    answer: {
      data: TrackingOps
      meta: {
        profile_id: string
      }
    }
  }
  /** List events as they came in and were enriched */
  listTrackedEvents: {
    query?: {
      /** From this time; seven days before `to` without it. */
      from?: string
      /** Before this time; now without it. */
      to?: string
      /** One or several, separated by commas. */
      event_type?: string
      /** `tracker`, `server`, `crm`, `payment`. */
      source?: string
      /** Marketing channels. */
      channel?: string
      /** Events of one browser. */
      visitor_id?: string
      include_bots?: "true" | "false"
      /** Rows, 1 to 200. */
      limit?: number
      /** The `pagination.cursor` of the page before; without it the first page is returned. */
      cursor?: string
    }
    answer: {
      data: TrackedEvent[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** List the addresses for providers’ notifications */
  listHooks: {
    answer: {
      data: ListedHookEndpoint[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Make an address for a provider’s notifications */
  createHook: {
    body: NewHookEndpointInput
    answer: {
      data: HookEndpointWithSecret
      meta: {
        profile_id: string
      }
    }
  }
  /** Change the secret of a notification address */
  rotateHook: {
    path: {
      id: string
    }
    body: HookRotationInput
    answer: {
      data: HookEndpointWithSecret
      meta: {
        profile_id: string
      }
    }
  }
  /** Close a notification address */
  revokeHook: {
    path: {
      id: string
    }
    answer: {
      data: HookEndpoint
      meta: {
        profile_id: string
      }
    }
  }
  /** List what providers have notified us of */
  listHookDeliveries: {
    query?: {
      status?: "mapped" | "superseded" | "ignored" | "unmappable"
      endpoint_id?: string
      /** Rows, 1 to 200. */
      limit?: number
      /** pagination.cursor of the page before. */
      cursor?: string
    }
    answer: {
      data: HookDelivery[]
      pagination: Pagination
      meta: {
        profile_id: string
      }
    }
  }
  /** Sign in at the console */
  signIn: {
    body: {
      email: string
      password: string
    }
    answer: {
      data: Session
      meta: Record<string, unknown>
    }
  }
  /** Read who is signed in */
  readSession: {
    answer: {
      data: Session
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Sign out */
  signOut: {
    answer: {
      data: {
        signed_out: true
      }
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Change the own password */
  changePassword: {
    body: {
      current_password?: string
      new_password: string
    }
    answer: {
      data: {
        changed: true
      }
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Mint a token for an MCP client */
  mintMcpToken: {
    body: {
      name: string
      scopes?: ScopeInput[]
      expires_in_days?: number
    }
    answer: {
      data: MintedMcpToken
      meta: {
        profile_id: string | null
      }
    }
  }
  /** List the own MCP tokens */
  listMcpTokens: {
    answer: {
      data: McpToken[]
      pagination: Pagination
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Revoke an MCP token */
  revokeMcpToken: {
    path: {
      tokenId: string
    }
    answer: {
      data: {
        id: string
        revoked: true
      }
      meta: {
        profile_id: string | null
      }
    }
  }
  /** Accept an invitation */
  acceptInvitation: {
    body: {
      token: string
      password: string
    }
    answer: {
      data: Invitation
      meta: Record<string, unknown>
    }
  }
  /** Record an outcome event */
  postEvent: {
    body: EventInput
    answer: {
      data: EventReceipt
      meta: {
        profile_id: string
      }
    }
  }
  /** Record up to 500 outcome events */
  postEvents: {
    body: {
      /** Events as POST /events takes them. */
      events: EventInput[]
    }
    answer: {
      data: EventResults
      meta: {
        profile_id: string
      }
    }
  }
  /** Report a card-gateway payment */
  reportCardPayment: {
    body: CardPaymentInput
    answer: {
      data: PaymentReceipt
      meta: {
        profile_id: string
      }
    }
  }
}

/** How each operation is called. */
export const operations = {
  listCampaigns: { method: 'GET', path: '/api/v1/campaigns', idempotency: 'natural' },
  readUnattributed: { method: 'GET', path: '/api/v1/campaigns/unattributed', idempotency: 'natural' },
  readCampaignTrend: { method: 'GET', path: '/api/v1/campaigns/trend', idempotency: 'natural' },
  listCampaignConversions: { method: 'GET', path: '/api/v1/campaigns/conversions', idempotency: 'natural' },
  comparePlatforms: { method: 'GET', path: '/api/v1/campaigns/platform-comparison', idempotency: 'natural' },
  readAd: { method: 'GET', path: '/api/v1/ads/{id}', idempotency: 'natural' },
  listTopPerformers: { method: 'GET', path: '/api/v1/top-performers', idempotency: 'natural' },
  listCustomers: { method: 'GET', path: '/api/v1/customers', idempotency: 'natural' },
  importCustomers: { method: 'POST', path: '/api/v1/customers', idempotency: 'natural' },
  searchCustomers: { method: 'GET', path: '/api/v1/customers/search', idempotency: 'natural' },
  readJourney: { method: 'GET', path: '/api/v1/customers/{id}/journey', idempotency: 'natural' },
  readJourneySummary: { method: 'GET', path: '/api/v1/customers/{id}/journey-summary', idempotency: 'natural' },
  generateJourneySummary: { method: 'POST', path: '/api/v1/customers/{id}/journey-summary', idempotency: 'none' },
  listGoals: { method: 'GET', path: '/api/v1/goals', idempotency: 'natural' },
  createGoal: { method: 'POST', path: '/api/v1/goals', idempotency: 'none' },
  listGoalDefinitions: { method: 'GET', path: '/api/v1/goals/definitions', idempotency: 'natural' },
  saveGoalDefinition: { method: 'POST', path: '/api/v1/goals/definitions', idempotency: 'natural' },
  readGoalDefinition: { method: 'GET', path: '/api/v1/goals/definitions/{id}', idempotency: 'natural' },
  readConversionJourney: { method: 'GET', path: '/api/v1/conversions/{id}/journey', idempotency: 'natural' },
  issueTrackingKey: { method: 'POST', path: '/api/v1/tracking/keys', idempotency: 'natural' },
  listTrackingKeys: { method: 'GET', path: '/api/v1/tracking/keys', idempotency: 'natural' },
  revokeTrackingKey: { method: 'DELETE', path: '/api/v1/tracking/keys/{id}', idempotency: 'natural' },
  readReplayStatus: { method: 'GET', path: '/api/v1/tracking/replay-status', idempotency: 'natural' },
  listPiiAccessLog: { method: 'GET', path: '/api/v1/workspaces/{workspaceId}/pii-access-log', idempotency: 'natural' },
  listPayments: { method: 'GET', path: '/api/v1/payments', idempotency: 'natural' },
  readPayment: { method: 'GET', path: '/api/v1/payments/{payment_id}', idempotency: 'natural' },
  listPaymentActions: { method: 'GET', path: '/api/v1/payments/{payment_id}/actions', idempotency: 'natural' },
  markInstallment: { method: 'PUT', path: '/api/v1/payments/{payment_id}/installment', idempotency: 'natural' },
  assignPayer: { method: 'PUT', path: '/api/v1/payments/{payment_id}/payer', idempotency: 'natural' },
  recordRefund: { method: 'POST', path: '/api/v1/payments/{payment_id}/refund', idempotency: 'natural' },
  undoRefund: { method: 'DELETE', path: '/api/v1/payments/{payment_id}/refund', idempotency: 'natural' },
  createWorkspace: { method: 'POST', path: '/api/v1/workspaces', idempotency: 'header' },
  listWorkspaces: { method: 'GET', path: '/api/v1/workspaces', idempotency: 'natural' },
  readWorkspace: { method: 'GET', path: '/api/v1/workspaces/{workspaceId}', idempotency: 'natural' },
  updateWorkspace: { method: 'PATCH', path: '/api/v1/workspaces/{workspaceId}', idempotency: 'natural' },
  archiveWorkspace: { method: 'POST', path: '/api/v1/workspaces/{workspaceId}/archive', idempotency: 'natural' },
  listMembers: { method: 'GET', path: '/api/v1/workspaces/{workspaceId}/members', idempotency: 'natural' },
  changeMember: { method: 'PATCH', path: '/api/v1/workspaces/{workspaceId}/members/{userId}', idempotency: 'natural' },
  removeMember: { method: 'DELETE', path: '/api/v1/workspaces/{workspaceId}/members/{userId}', idempotency: 'natural' },
  inviteMember: { method: 'POST', path: '/api/v1/workspaces/{workspaceId}/invitations', idempotency: 'none' },
  listInvitations: { method: 'GET', path: '/api/v1/workspaces/{workspaceId}/invitations', idempotency: 'natural' },
  revokeInvitation: { method: 'DELETE', path: '/api/v1/workspaces/{workspaceId}/invitations/{invitationId}', idempotency: 'natural' },
  createProfile: { method: 'POST', path: '/api/v1/profiles', idempotency: 'header' },
  listProfiles: { method: 'GET', path: '/api/v1/profiles', idempotency: 'natural' },
  readProfile: { method: 'GET', path: '/api/v1/profiles/{profileId}', idempotency: 'natural' },
  updateProfile: { method: 'PATCH', path: '/api/v1/profiles/{profileId}', idempotency: 'natural' },
  deleteProfile: { method: 'DELETE', path: '/api/v1/profiles/{profileId}', idempotency: 'natural' },
  archiveProfile: { method: 'POST', path: '/api/v1/profiles/{profileId}/archive', idempotency: 'natural' },
  restoreProfile: { method: 'POST', path: '/api/v1/profiles/{profileId}/restore', idempotency: 'natural' },
  setEntitlement: { method: 'PUT', path: '/api/v1/profiles/{profileId}/entitlements/atribu_attribution', idempotency: 'natural' },
  listGrants: { method: 'GET', path: '/api/v1/profiles/{profileId}/grants', idempotency: 'natural' },
  grantApp: { method: 'PUT', path: '/api/v1/profiles/{profileId}/grants/{appId}', idempotency: 'natural' },
  revokeGrant: { method: 'DELETE', path: '/api/v1/profiles/{profileId}/grants/{appId}', idempotency: 'natural' },
  mintKey: { method: 'POST', path: '/api/v1/profiles/{profileId}/keys', idempotency: 'header' },
  listKeys: { method: 'GET', path: '/api/v1/profiles/{profileId}/keys', idempotency: 'natural' },
  rotateKey: { method: 'POST', path: '/api/v1/profiles/{profileId}/keys/{keyId}/rotate', idempotency: 'header' },
  revokeKey: { method: 'DELETE', path: '/api/v1/profiles/{profileId}/keys/{keyId}', idempotency: 'natural' },
  readJourneyByKey: { method: 'GET', path: '/api/v1/customers/journey', idempotency: 'natural' },
  mintLinkTokens: { method: 'POST', path: '/api/v1/customers/link-tokens', idempotency: 'none' },
  eraseCustomer: { method: 'POST', path: '/api/v1/customers/erasures', idempotency: 'natural' },
  readErasure: { method: 'GET', path: '/api/v1/customers/erasures/{erasure_id}', idempotency: 'natural' },
  eraseCustomerInWorkspace: { method: 'POST', path: '/api/v1/workspaces/{workspaceId}/customer-erasures', idempotency: 'natural' },
  readSnippet: { method: 'GET', path: '/api/v1/tracking/snippet', idempotency: 'natural' },
  readTagManagerContainer: { method: 'GET', path: '/api/v1/tracking/installers/gtm', idempotency: 'natural' },
  readShopifyPixel: { method: 'GET', path: '/api/v1/tracking/installers/shopify-pixel', idempotency: 'natural' },
  readStorePixel: { method: 'GET', path: '/api/v1/tracking/installers/store-pixel', idempotency: 'natural' },
  readTrackingOrigin: { method: 'GET', path: '/api/v1/tracking/origin', idempotency: 'natural' },
  readTrackingSettings: { method: 'GET', path: '/api/v1/tracking/settings', idempotency: 'natural' },
  changeTrackingSettings: { method: 'PATCH', path: '/api/v1/tracking/settings', idempotency: 'natural' },
  listCustomDomains: { method: 'GET', path: '/api/v1/tracking/custom-domains', idempotency: 'natural' },
  registerCustomDomain: { method: 'POST', path: '/api/v1/tracking/custom-domains', idempotency: 'natural' },
  removeCustomDomain: { method: 'DELETE', path: '/api/v1/tracking/custom-domains/{id}', idempotency: 'natural' },
  verifyCustomDomain: { method: 'POST', path: '/api/v1/tracking/custom-domains/{id}/verify', idempotency: 'natural' },
  readInstallVerification: { method: 'GET', path: '/api/v1/tracking/verification', idempotency: 'natural' },
  startInstallVerification: { method: 'POST', path: '/api/v1/tracking/verification', idempotency: 'none' },
  readTrackingQuality: { method: 'GET', path: '/api/v1/tracking/quality', idempotency: 'natural' },
  readTrackingOps: { method: 'GET', path: '/api/v1/tracking/ops', idempotency: 'natural' },
  listTrackedEvents: { method: 'GET', path: '/api/v1/tracking/events', idempotency: 'natural' },
  listHooks: { method: 'GET', path: '/api/v1/hooks', idempotency: 'natural' },
  createHook: { method: 'POST', path: '/api/v1/hooks', idempotency: 'none' },
  rotateHook: { method: 'POST', path: '/api/v1/hooks/{id}/rotate', idempotency: 'none' },
  revokeHook: { method: 'DELETE', path: '/api/v1/hooks/{id}', idempotency: 'natural' },
  listHookDeliveries: { method: 'GET', path: '/api/v1/hooks/deliveries', idempotency: 'natural' },
  signIn: { method: 'POST', path: '/api/v1/session', idempotency: 'none' },
  readSession: { method: 'GET', path: '/api/v1/session', idempotency: 'natural' },
  signOut: { method: 'DELETE', path: '/api/v1/session', idempotency: 'natural' },
  changePassword: { method: 'PUT', path: '/api/v1/session/password', idempotency: 'none' },
  mintMcpToken: { method: 'POST', path: '/api/v1/session/mcp-tokens', idempotency: 'none' },
  listMcpTokens: { method: 'GET', path: '/api/v1/session/mcp-tokens', idempotency: 'natural' },
  revokeMcpToken: { method: 'DELETE', path: '/api/v1/session/mcp-tokens/{tokenId}', idempotency: 'natural' },
  acceptInvitation: { method: 'POST', path: '/api/v1/invitations/accept', idempotency: 'none' },
  postEvent: { method: 'POST', path: '/api/v1/events', idempotency: 'natural or header' },
  postEvents: { method: 'POST', path: '/api/v1/events/batch', idempotency: 'natural or header' },
  reportCardPayment: { method: 'POST', path: '/api/v1/payments/cardpay', idempotency: 'natural' },
} as const
