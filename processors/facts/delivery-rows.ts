import { createHash } from 'node:crypto'
import { ids, noId } from '../../domain/ids.ts'
import type { Level } from '../../domain/models.ts'
import type { AdDelivery } from '../../schemas/messages.ts'
import { day } from './day.ts'

interface Family {
  campaign: string
  ad_set: string
  ad: string
}

const family = (d: AdDelivery): Family => ({
  campaign: ids.entity(d.profile_id, 'campaign', d.platform, d.campaign_external_id),
  ad_set: ids.entity(d.profile_id, 'ad_set', d.platform, d.ad_set_external_id),
  ad: ids.entity(d.profile_id, 'ad', d.platform, d.ad_external_id),
})

export function deliveryRow(d: AdDelivery, version: bigint) {
  const { campaign, ad_set, ad } = family(d)
  return {
    profile_id: d.profile_id,
    date: day(d.date),
    platform: d.platform,
    campaign_id: campaign,
    ad_set_id: ad_set,
    ad_id: ad,
    currency: d.currency,
    spend_minor: d.spend_minor,
    impressions: d.impressions,
    clicks: d.clicks,
    reach: d.reach,
    platform_conversions: d.platform_conversions,
    platform_conversion_value_minor: d.platform_conversion_value_minor,
    messaging_conversations_started_7d: d.messaging_conversations_started_7d,
    first_reply_rate: d.first_reply_rate,
    avg_engagement_score: d.avg_engagement_score,
    version: version.toString(),
  }
}

/** The three entities that a delivery row describes, each by what was said of it alone. */
export function entityRows(d: AdDelivery, version: bigint) {
  const { campaign, ad_set, ad } = family(d)
  const entity = (level: Level, name: string, external_id: string) => ({
    profile_id: d.profile_id,
    level,
    entity_id: { campaign, ad_set, ad }[level],
    platform: d.platform,
    external_id,
    name,
    campaign_id: campaign,
    ad_set_id: level === 'campaign' ? noId : ad_set,
    campaign_external_id: d.campaign_external_id,
    ad_set_external_id: level === 'campaign' ? '' : d.ad_set_external_id,
    status: { campaign: d.campaign_status, ad_set: d.ad_set_status, ad: d.status }[level] ?? '',
    objective: d.objective ?? '',
    daily_budget_minor: { campaign: d.campaign_daily_budget_minor, ad_set: d.daily_budget_minor, ad: null }[level],
    currency: d.currency,
    learning_stage_status: (level === 'ad_set' && d.learning_stage_status) || '',
    version: entityVersion(d, version),
  })
  return [
    entity('campaign', d.campaign_name, d.campaign_external_id),
    entity('ad_set', d.ad_set_name, d.ad_set_external_id),
    {
      ...entity('ad', d.ad_name, d.ad_external_id),
      creative_thumbnail_url: d.creative_thumbnail_url ?? '',
      video_id: d.video_id ?? '',
      creative_format: d.creative_format ?? '',
      hook_type: d.hook_type ?? '',
      cta_type: d.cta_type ?? '',
      primary_angle: d.primary_angle ?? '',
      offers: d.offers,
      audience_warmth: d.audience_warmth ?? '',
      geo: d.geo ?? '',
      placement: d.placement ?? '',
    },
  ]
}

/**
 * Of all rows that describe an entity the newest day wins, then one ad (by a hash, since the arrival of different ads
 * must not matter), then the newest message about that ad and day. 16 + 48 + 42 + 22 bits.
 */
function entityVersion(d: AdDelivery, version: bigint): string {
  const hash = createHash('sha1').update(d.ad_external_id).digest().readUIntBE(0, 6)
  const [time, offset] = [version >> 64n, version & 0x3fffffn]
  return ((BigInt(d.date) << 112n) | (BigInt(hash) << 64n) | (time << 22n) | offset).toString()
}
