import { randomUUID } from 'node:crypto'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { ids } from '../../../domain/ids.ts'
import { recomputeSubjects } from '../../../processors/attribution/recompute.ts'
import { deliveryRow, entityRows } from '../../../processors/facts/delivery-rows.ts'
import { waysToPayments } from '../../../processors/payment-actions.ts'
import type { AdDelivery } from '../../../schemas/messages.ts'
import type { FreshWarehouse } from '../../fresh-warehouse.ts'
import { timestamp } from '../../timestamp.ts'

const day = 86_400_000
let version = 1n

/** A profile in a warehouse whose facts are written by hand: what a recompute makes of them is under test. */
export async function openProfile(
  warehouse: FreshWarehouse,
  { timezone = 'UTC', currency = 'USD', profile = randomUUID() as string } = {},
) {
  await warehouse.insert('profiles', [{ profile_id: profile, reporting_currency: currency, timezone, version: 1 }])
  await define(warehouse, profile, 'payment_received', 'cash')
  await define(warehouse, profile, 'lead_created', 'pipeline')

  const dirty = new Set<string>()
  const hitRow = (subject: string, event_id: string, at: number, click: Click) => {
    const signature = click.signature ?? click.ad ?? Object.values(click.utm ?? {}).join()
    return {
      profile_id: profile,
      subject_id: subject,
      event_id,
      event_type: 'page_view',
      event_time: timestamp(at),
      received_at: timestamp(at),
      channel: click.channel ?? (signature ? 'paid_social' : 'direct'),
      source: click.source ?? '',
      is_direct: signature === '',
      signature,
      utm: click.utm ?? {},
      ad_ref: click.ad ?? '',
      is_bot: click.isBot ?? false,
      version: '1',
    }
  }
  const outcomeRow = (subject: string, outcome_id: string, at: number, parts: OutcomeParts = {}) => ({
    profile_id: profile,
    subject_id: subject,
    outcome_id,
    conversion_id: ids.conversion(profile, outcome_id),
    source: parts.source ?? 'server',
    provider: parts.provider ?? '',
    external_id: parts.externalId ?? '',
    stage_id: parts.stage ?? '',
    event_type: parts.type ?? 'payment_received',
    occurred_at: timestamp(at),
    received_at: timestamp(at),
    amount_minor: parts.amount === undefined ? 10_000 : parts.amount,
    refunded_minor: parts.refunded ?? 0,
    currency: parts.currency ?? currency,
    subject_ref: parts.subjectRef ?? null,
    ad_ref: parts.ad ?? '',
    channel: parts.ad ? 'paid_social' : '',
    action_source: parts.actionSource ?? '',
    country: parts.country ?? '',
    device: parts.device ?? '',
    version: String(version++),
  })

  return {
    profile,
    async hit(subject: string, at: number, click: Click = {}) {
      const event_id = randomUUID()
      await warehouse.insert('hits', [hitRow(subject, event_id, at, click)])
      dirty.add(subject)
      return event_id
    },
    async hits(subject: string, count: number, make: (n: number) => Click & { at: number }) {
      const rows = Array.from({ length: count }, (_, n) => {
        const { at, ...click } = make(n)
        return hitRow(subject, randomUUID(), at, click)
      })
      await warehouse.insert('hits', rows)
      dirty.add(subject)
    },
    async outcome(subject: string, at: number, parts: OutcomeParts = {}) {
      const outcome_id = parts.id ?? randomUUID()
      await warehouse.insert('outcomes', [outcomeRow(subject, outcome_id, at, parts)])
      dirty.add(subject)
      return outcome_id
    },
    async outcomes(subject: string, count: number, at: (n: number) => number) {
      const rows = Array.from({ length: count }, (_, n) => outcomeRow(subject, randomUUID(), at(n)))
      await warehouse.insert('outcomes', rows)
      dirty.add(subject)
    },
    async stage(id: string, eventKey: string, provider = 'hubspot') {
      const names = { profile_id: profile, provider, pipeline: '', stage_id: id, name: id }
      await warehouse.insert('pipeline_stages', [
        { ...names, event_key: eventKey, source: 'user', version: String(version++) },
      ])
    },
    async act(
      payment: string,
      kind: 'installment' | 'payer' | 'refund',
      parts: { payer?: string; refunded?: number; currency?: string } = {},
    ) {
      if (parts.payer) {
        const pair = { profile_id: profile, subject_id: parts.payer, outcome_id: payment }
        for (const table of waysToPayments) await warehouse.insert(table, [pair])
        dirty.add(parts.payer)
      }
      await warehouse.insert('payment_actions', [
        {
          profile_id: profile,
          payment_id: payment,
          kind,
          is_installment: kind === 'installment',
          payer_subject_id: parts.payer ?? nobody,
          refunded_minor: parts.refunded ?? 0,
          refund_currency: parts.currency ?? '',
          version: String(version++),
        },
      ])
    },
    async belongs(subject: string, customer: string) {
      await warehouse.insert('identity_map', [
        { profile_id: profile, subject_id: subject, customer_id: customer, version: String(version++) },
      ])
      dirty.add(subject)
    },
    async ad(id: string, parts: Partial<AdDelivery> = {}) {
      const delivery = { ...blankDelivery, profile_id: profile, ad_external_id: id, ad_name: `Ad ${id}`, ...parts }
      await warehouse.insert('ad_delivery', [deliveryRow(delivery, version)])
      await warehouse.insert('ad_entities', entityRows(delivery, version++))
      return {
        campaign: ids.entity(profile, 'campaign', delivery.platform, delivery.campaign_external_id),
        adSet: ids.entity(profile, 'ad_set', delivery.platform, delivery.ad_set_external_id),
        ad: ids.entity(profile, 'ad', delivery.platform, id),
      }
    },
    touched: (subject: string) => void dirty.add(subject),
    async recompute(through: Warehouse = warehouse) {
      const subjects = [...dirty].map((subject_id) => ({ profile_id: profile, subject_id, version: version++ }))
      dirty.clear()
      await recomputeSubjects(through, subjects)
    },
    credits: () =>
      warehouse.rows<CreditRow>(
        `SELECT * FROM credits FINAL WHERE profile_id = '${profile}' ORDER BY occurred_at, toString(conversion_id)`,
      ),
    touches: () =>
      warehouse.rows<{ touch_id: string; touch_time: string; channel: string; is_synthetic: boolean }>(
        `SELECT * FROM touches FINAL WHERE profile_id = '${profile}' ORDER BY touch_time`,
      ),
  }
}

interface Click {
  ad?: string
  utm?: Record<string, string>
  signature?: string
  channel?: string
  source?: string
  isBot?: boolean
}

export interface OutcomeParts {
  id?: string
  type?: string
  source?: string
  provider?: string
  externalId?: string
  stage?: string
  actionSource?: string
  amount?: number | null
  refunded?: number
  currency?: string
  subjectRef?: string | null
  ad?: string
  country?: string
  device?: string
}

export const nobody = '00000000-0000-0000-0000-000000000000'

export interface CreditRow {
  is_first_payment: boolean | null
  opens_first_payment: boolean
  synthetics: boolean[]
  outcome_id: string
  conversion_type: string
  day: string
  net_minor: number | null
  customer_id: string
  touch_ids: string[]
  campaign_ids: string[]
  ad_ids: string[]
  join_methods: string[]
  last_touch: number[]
  first_touch: number[]
  linear: number[]
  time_decay: number[]
  last_non_direct: number[]
  position_based: number[]
}

export async function define(
  warehouse: FreshWarehouse,
  profile: string,
  key: string,
  revenueType: string,
  parts: { days?: number; isEligible?: boolean; eventTypes?: string[]; version?: number; isDeleted?: boolean } = {},
) {
  await warehouse.insert('conversion_definitions', [
    {
      profile_id: profile,
      definition_id: ids.conversion(profile, key),
      conversion_key: key,
      name: key,
      event_types: parts.eventTypes ?? [key],
      revenue_type: revenueType,
      is_attribution_eligible: parts.isEligible ?? true,
      lookback_window_days: parts.days ?? 30,
      is_default: false,
      version: parts.version ?? 1,
      is_deleted: parts.isDeleted ? 1 : 0,
    },
  ])
}

const blankDelivery: AdDelivery = {
  profile_id: '',
  platform: 'meta',
  date: Math.floor(Date.UTC(2026, 9, 1) / day),
  currency: 'USD',
  received_at: 0,
  campaign_external_id: 'c1',
  campaign_name: 'Campaign 1',
  ad_set_external_id: 's1',
  ad_set_name: 'Set 1',
  ad_external_id: '',
  ad_name: '',
  status: null,
  objective: null,
  daily_budget_minor: null,
  campaign_daily_budget_minor: null,
  ad_set_status: null,
  campaign_status: null,
  spend_minor: 0,
  impressions: 0,
  clicks: 0,
  reach: null,
  platform_conversions: null,
  platform_conversion_value_minor: null,
  messaging_conversations_started_7d: null,
  learning_stage_status: null,
  creative_thumbnail_url: null,
  video_id: null,
  creative_format: null,
  hook_type: null,
  cta_type: null,
  primary_angle: null,
  offers: [],
  audience_warmth: null,
  geo: null,
  placement: null,
  first_reply_rate: null,
  avg_engagement_score: null,
}
