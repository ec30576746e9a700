import { z } from 'zod'
import { nobody } from '../nobody.ts'
import { query } from '../query.ts'
import { reportParams } from './credited.ts'
import { deliveryInRange, platformOf } from './delivery.ts'

const minor = z.coerce.bigint()
const count = z.coerce.number()

/** All that is known of each ad that was delivered or credited in the range, the costliest first. */
export const adEvidence = query({
  name: 'ad_evidence',
  params: reportParams.extend({ most: z.int() }),
  row: z.object({
    external_id: z.string(),
    name: z.string(),
    campaign_name: z.string(),
    ad_set_name: z.string(),
    platform: z.string(),
    objective: z.string(),
    creative_thumbnail_url: z.string(),
    video_id: z.string(),
    creative_format: z.string(),
    hook_type: z.string(),
    cta_type: z.string(),
    primary_angle: z.string(),
    offers: z.array(z.string()),
    audience_warmth: z.string(),
    geo: z.string(),
    placement: z.string(),
    delivery_days: count,
    spend_minor: minor,
    unrated_days: count,
    impressions: count,
    clicks: count,
    platform_conversions: count.nullable(),
    /** Null also where a part of it has no rate. */
    platform_value_minor: minor.nullable(),
    conversations: count.nullable(),
    first_reply_rate: count.nullable(),
    engagement_score: count.nullable(),
    outcomes: count,
    cash_outcomes: count,
    cash_minor: minor,
    pipeline_outcomes: count,
    pipeline_minor: minor,
    messaging_outcomes: count,
  }),
  sql: `
WITH
  credited AS (
    SELECT last_ad AS ad_id, count() AS outcomes,
      countIf(revenue_type = 'cash') AS cash_outcomes, sumIf(net_minor, revenue_type = 'cash') AS cash_minor,
      -- Gross value is no cash either: it is shown with what is hoped for.
      countIf(revenue_type IN ('pipeline', 'gross')) AS pipeline_outcomes,
      sumIf(net_minor, revenue_type IN ('pipeline', 'gross')) AS pipeline_minor,
      countIf(revenue_type = 'messaging') AS messaging_outcomes
    FROM report_credits FINAL
    WHERE profile_id = {profile:UUID} AND day BETWEEN {from:Date} AND {to:Date} AND last_ad != ${nobody}
    GROUP BY ad_id
  ),${deliveryInRange()},
  delivered AS (
    SELECT d.ad_id AS ad_id, countIf(d.impressions > 0 OR d.spend_minor > 0) AS delivery_days,
      ifNull(sum(d.spend_minor), 0) AS spend_minor, countIf(isNull(d.spend_minor)) AS unrated_days,
      sum(d.impressions) AS impressions, sum(d.clicks) AS clicks,
      sum(d.platform_conversions) AS platform_conversions,
      if(max(d.is_claim_unrated), NULL, sum(d.platform_value_minor)) AS platform_value_minor,
      sum(d.messaging_conversations_started_7d) AS conversations,
      -- Means over days, each day by its weight.
      sum(d.first_reply_rate * d.messaging_conversations_started_7d)
        / nullIf(sumIf(d.messaging_conversations_started_7d, isNotNull(d.first_reply_rate)), 0) AS first_reply_rate,
      sum(d.avg_engagement_score * d.impressions)
        / nullIf(sumIf(d.impressions, isNotNull(d.avg_engagement_score)), 0) AS engagement_score
    FROM delivery AS d
    GROUP BY ad_id
  ),
  evidence AS (
    SELECT if(c.outcomes > 0, c.ad_id, d.ad_id) AS ad_id, d.* EXCEPT ad_id, c.* EXCEPT ad_id
    FROM delivered AS d FULL JOIN credited AS c ON c.ad_id = d.ad_id
    ORDER BY spend_minor DESC, outcomes DESC, toString(ad_id)
    LIMIT {most:UInt32}
  ),
  entities AS (SELECT * FROM ad_entities FINAL WHERE profile_id = {profile:UUID}),
  ads AS (
    SELECT * FROM entities WHERE level = 'ad' AND entity_id IN (SELECT ad_id FROM evidence)
  ),
  described AS (
    SELECT a.*, s.name AS ad_set_name
    FROM ads AS a LEFT JOIN (SELECT entity_id, name FROM entities WHERE level = 'ad_set') AS s ON s.entity_id = a.ad_set_id
  ),
  placed AS (
    SELECT a.*, c.name AS campaign_name
    FROM described AS a
    LEFT JOIN (SELECT entity_id, name FROM entities WHERE level = 'campaign') AS c ON c.entity_id = a.campaign_id
  )
SELECT p.external_id AS external_id, p.name AS name, p.campaign_name AS campaign_name, p.ad_set_name AS ad_set_name,
  ${platformOf('p.platform')} AS platform, p.objective AS objective, p.creative_thumbnail_url AS creative_thumbnail_url,
  p.video_id AS video_id, p.creative_format AS creative_format, p.hook_type AS hook_type, p.cta_type AS cta_type,
  p.primary_angle AS primary_angle, p.offers AS offers, p.audience_warmth AS audience_warmth, p.geo AS geo,
  p.placement AS placement, e.* EXCEPT ad_id
FROM evidence AS e JOIN placed AS p ON p.entity_id = e.ad_id
SETTINGS do_not_merge_across_partitions_select_final = 1`,
})
