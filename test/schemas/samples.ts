import { randomUUID } from 'node:crypto'
import type {
  AdDelivery,
  CrmOutcome,
  DirtyCustomers,
  FxRate,
  IdentitySighting,
  Payment,
  PaymentAction,
  Rejected,
  ServerEvent,
  Setting,
  VisitBatch,
} from '../../schemas/messages.ts'

const at = Date.UTC(2025, 2, 14, 15, 9, 26, 535)
const identifiers = () => [{ type: 'email' as const, token: randomUUID(), sealed: Buffer.from('sealed value') }]
const traits = () => ({ token: randomUUID(), sealed: Buffer.from('sealed traits') })

/** One full message for each topic: every optional field is filled. */
export const visit = (profile_id: string, visitor_id: string = randomUUID()): VisitBatch => ({
  profile_id,
  visitor_id,
  received_at: at,
  clock_skew_ms: -7200,
  device: 'mobile',
  browser: 'Firefox',
  os: 'Android',
  country: 'CL',
  city: 'Ñuñoa',
  is_bot: false,
  hits: [
    {
      event_id: randomUUID(),
      event_type: 'page_view',
      event_name: 'pricing',
      event_time: at - 1,
      is_clamped: true,
      url: 'https://shop.example/pricing?utm_source=meta',
      path: '/pricing',
      referrer: 'https://l.facebook.com/',
      utm: { source: 'meta', medium: 'paid' },
      click_ids: { fbclid: 'abc' },
      campaign_ref: '1',
      ad_set_ref: '2',
      ad_ref: '3',
      amount_minor: 2 ** 53 - 2,
      currency: 'CLP',
      identifiers: identifiers(),
      traits: traits(),
      linked_token: randomUUID(),
    },
  ],
})

export const serverEvent = (profile_id: string): ServerEvent => ({
  profile_id,
  outcome_event_id: randomUUID(),
  event_type: 'purchase',
  event_name: 'order',
  occurred_at: at,
  received_at: at + 5,
  is_clamped: false,
  amount_minor: -1,
  currency: 'USD',
  action_source: 'website',
  click_ids: { gclid: 'x' },
  campaign_ref: '1',
  ad_set_ref: '2',
  ad_ref: '3',
  visitor_id: randomUUID(),
  subject_ref_token: randomUUID(),
  country: 'US',
  identifiers: identifiers(),
  traits: traits(),
})

export const crmOutcome = (profile_id: string): CrmOutcome => ({
  profile_id,
  outcome_event_id: randomUUID(),
  provider: 'hubspot',
  external_id: 'deal-1',
  outcome_type: 'deal_won',
  occurred_at: at,
  received_at: at,
  is_clamped: false,
  amount_minor: 1999,
  currency: 'EUR',
  stage: { pipeline: 'sales', id: '7', name: 'Propuesta' },
  ad_ref: '3',
  click_ids: {},
  identifiers: identifiers(),
  traits: traits(),
})

export const payment = (profile_id: string): Payment => ({
  profile_id,
  payment_id: randomUUID(),
  provider: 'stripe',
  external_id: 'pi_1',
  occurred_at: at,
  received_at: at,
  is_clamped: false,
  amount_minor: 123456789,
  currency: 'CLP',
  refunded_minor: 1000,
  subject_ref_token: randomUUID(),
  click_ids: { fbclid: 'y' },
  identifiers: identifiers(),
  traits: traits(),
})

export const adDelivery = (profile_id: string): AdDelivery => ({
  profile_id,
  platform: 'meta',
  date: 20161,
  currency: 'USD',
  received_at: at,
  campaign_external_id: 'c1',
  campaign_name: 'Spring',
  ad_set_external_id: 's1',
  ad_set_name: 'Broad',
  ad_external_id: 'a1',
  ad_name: 'Video 1',
  status: 'active',
  objective: 'sales',
  daily_budget_minor: 5000,
  campaign_daily_budget_minor: 20_000,
  ad_set_status: 'ACTIVE',
  campaign_status: 'PAUSED',
  spend_minor: 4321,
  impressions: 10_000,
  clicks: 120,
  reach: 8000,
  platform_conversions: 3.5,
  platform_conversion_value_minor: 9900,
  messaging_conversations_started_7d: 4,
  learning_stage_status: 'learning',
  creative_thumbnail_url: 'https://cdn.example/1.jpg',
  video_id: 'v1',
  creative_format: 'video',
  hook_type: 'question',
  cta_type: 'shop_now',
  primary_angle: 'price',
  offers: ['free shipping'],
  audience_warmth: 'cold',
  geo: 'CL',
  placement: 'feed',
  first_reply_rate: 0.25,
  avg_engagement_score: 7.125,
})

export const profileSetting = (profile_id: string): Setting => ({
  profile_id,
  version: 3,
  value: { 'touchline.ProfileSetting': { reporting_currency: 'USD', timezone: 'America/Santiago' } },
})

export const stageSetting = (profile_id: string): Setting => ({
  profile_id,
  version: 2,
  value: {
    'touchline.StageSetting': {
      provider: 'hubspot',
      pipeline: 'sales',
      stage_id: '7',
      name: 'Propuesta',
      event_key: 'quote_sent',
      source: 'suggested',
    },
  },
})

export const definitionSetting = (profile_id: string): Setting => ({
  profile_id,
  version: 4,
  value: {
    'touchline.DefinitionSetting': {
      definition_id: randomUUID(),
      conversion_key: 'purchase',
      name: 'Purchases',
      event_types: ['purchase', 'order'],
      revenue_type: 'cash',
      is_attribution_eligible: true,
      lookback_window_days: 30,
      is_default: true,
      is_deleted: false,
    },
  },
})

export const dirtyCustomers = (profile_id: string): DirtyCustomers => ({ profile_id, subject_ids: [randomUUID()] })

export const rejected = (profile_id: string): Rejected => ({
  topic: 'visits',
  partition: 2,
  offset: 12,
  reason: 'undecodable',
  profile_id,
  rejected_at: at,
  key: 'k',
  sealed: Buffer.from([1, 2, 3]),
})

export const paymentAction = (profile_id: string): PaymentAction => ({
  profile_id,
  payment_id: randomUUID(),
  version: 3,
  value: { 'touchline.PayerAssignment': { subject_id: randomUUID() } },
})

export const fxRate = (): FxRate => ({ base: 'CLP', quote: 'USD', date: 20_000, rate: '0.00105' })

export const identitySighting = (profile_id: string): IdentitySighting => ({
  profile_id,
  sighting_id: randomUUID(),
  occurred_at: at,
  identifiers: identifiers(),
  traits: traits(),
})
