import { z } from 'zod'
import { canonicalAction } from '../../domain/ad-platforms.ts'
import { dayMs, isPlausibleTime } from '../../domain/time.ts'
import type { AdDelivery } from '../../schemas/messages.ts'
import { Amount, Currency, id, minorOf, PlatformId, text } from '../fields.ts'
import { BadRow, type ImportContext, Provider } from './row.ts'

const count = z.int().min(0)
const label = text(200).nullish()

/** One ad on one day. Everything after `ad_name` may be left out. */
export const AdDeliveryRow = z
  .object({
    platform: Provider,
    date: z.iso.date(),
    currency: Currency,
    campaign_external_id: PlatformId,
    campaign_name: text(500),
    ad_set_external_id: PlatformId,
    ad_set_name: text(500),
    ad_external_id: PlatformId,
    ad_name: text(500),
    /** The ad's own; what the ad set and the campaign are in is said of each. */
    status: label,
    ad_set_status: label,
    campaign_status: label,
    objective: label,
    /** The ad set's. */
    daily_budget: Amount.nullish(),
    campaign_daily_budget: Amount.nullish(),
    spend: Amount.nullish(),
    impressions: count.nullish(),
    clicks: count.nullish(),
    reach: count.nullish(),
    platform_conversions: z.number().min(0).nullish(),
    platform_conversion_value: Amount.nullish(),
    /** All that the platform reported, instead of the two above: the action that counts there is picked out. */
    platform_actions: z
      .array(z.object({ action_type: text(200), count: z.number().min(0), value: Amount.nullish() }))
      .max(200)
      .nullish(),
    messaging_conversations_started_7d: count.nullish(),
    learning_stage_status: label,
    creative_thumbnail_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .nullish(),
    video_id: id(200).nullish(),
    creative_format: label,
    hook_type: label,
    cta_type: label,
    primary_angle: label,
    offers: z.union([z.array(text(200)).max(50), text(200).transform((offer) => [offer])]).nullish(),
    audience_warmth: label,
    geo: label,
    placement: label,
    first_reply_rate: z.number().min(0).nullish(),
    avg_engagement_score: z.number().nullish(),
  })
  .transform((given, context) => {
    const row = withCanonicalAction(given)
    const minor = (field: 'daily_budget' | 'campaign_daily_budget' | 'spend' | 'platform_conversion_value') =>
      row[field] == null ? null : minorOf(context, [field], row[field], row.currency)
    return {
      ...row,
      daily_budget_minor: minor('daily_budget'),
      campaign_daily_budget_minor: minor('campaign_daily_budget'),
      spend_minor: minor('spend') ?? 0,
      platform_conversion_value_minor: minor('platform_conversion_value'),
    }
  })
export type AdDeliveryRow = z.output<typeof AdDeliveryRow>

interface Claims<Value> {
  platform: string
  platform_conversions?: number | null | undefined
  platform_conversion_value?: Value | null | undefined
  platform_actions?: { action_type: string; count: number; value?: Value | null | undefined }[] | null | undefined
}

/** Figures that are given as such stand; else the platform's own canonical action gives both. */
function withCanonicalAction<Value, Row extends Claims<Value>>(row: Row): Row {
  if (row.platform_conversions != null || row.platform_conversion_value != null) return row
  const actions = (row.platform_actions ?? []).map(({ action_type, count, value }) => ({
    actionType: action_type,
    count,
    value: value ?? null,
  }))
  const action = canonicalAction(row.platform, actions)
  return action ? { ...row, platform_conversions: action.count, platform_conversion_value: action.value } : row
}

export function toAdDelivery(row: AdDeliveryRow, { profileId, receivedAt }: ImportContext): AdDelivery {
  const date = Date.parse(row.date)
  if (!isPlausibleTime(date, receivedAt)) throw new BadRow('date', 'must be within the last twenty years')
  return {
    profile_id: profileId,
    platform: row.platform,
    date: date / dayMs,
    currency: row.currency,
    received_at: receivedAt,
    campaign_external_id: row.campaign_external_id,
    campaign_name: row.campaign_name,
    ad_set_external_id: row.ad_set_external_id,
    ad_set_name: row.ad_set_name,
    ad_external_id: row.ad_external_id,
    ad_name: row.ad_name,
    status: row.status ?? null,
    ad_set_status: row.ad_set_status ?? null,
    campaign_status: row.campaign_status ?? null,
    objective: row.objective ?? null,
    daily_budget_minor: row.daily_budget_minor,
    campaign_daily_budget_minor: row.campaign_daily_budget_minor,
    spend_minor: row.spend_minor,
    impressions: row.impressions ?? 0,
    clicks: row.clicks ?? 0,
    reach: row.reach ?? null,
    platform_conversions: row.platform_conversions ?? null,
    platform_conversion_value_minor: row.platform_conversion_value_minor,
    messaging_conversations_started_7d: row.messaging_conversations_started_7d ?? null,
    learning_stage_status: row.learning_stage_status ?? null,
    creative_thumbnail_url: row.creative_thumbnail_url ?? null,
    video_id: row.video_id ?? null,
    creative_format: row.creative_format ?? null,
    hook_type: row.hook_type ?? null,
    cta_type: row.cta_type ?? null,
    primary_angle: row.primary_angle ?? null,
    offers: row.offers ?? [],
    audience_warmth: row.audience_warmth ?? null,
    geo: row.geo ?? null,
    placement: row.placement ?? null,
    first_reply_rate: row.first_reply_rate ?? null,
    avg_engagement_score: row.avg_engagement_score ?? null,
  }
}
