import { z } from 'zod'
import type { Level } from '../../domain/models.ts'
import { query } from '../query.ts'
import { boundCurrency, type Currencies, deliveryInRange, deliveryParams } from './delivery.ts'

/** One row for each of the profile's entities asked for and each day of the range; days without delivery are zero. */
export const campaignTrend = (level: Level, currencies: Currencies) =>
  query({
    name: `campaign_trend_${level}`,
    params: deliveryParams.extend({ entities: z.array(z.uuid()).max(10) }),
    row: z.object({
      entity_id: z.uuid(),
      date: z.iso.date(),
      spend_minor: z.coerce.bigint(),
      impressions: z.coerce.number(),
      clicks: z.coerce.number(),
    }),
    sql: `
WITH
  known AS (
    SELECT entity_id FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${level}' AND entity_id IN {entities:Array(UUID)}
  ),
  ${deliveryInRange({ currencies, currency: boundCurrency, where: `${level}_id IN {entities:Array(UUID)}` })},
  delivered AS (
    SELECT ${level}_id AS entity_id, date, ifNull(sum(spend_minor), 0) AS spend_minor, sum(impressions) AS impressions,
      sum(clicks) AS clicks
    FROM delivery GROUP BY entity_id, date
  ),
  calendar AS (
    SELECT entity_id, {from:Date} + arrayJoin(range(toUInt32({to:Date} - {from:Date} + 1))) AS date FROM known
  )
SELECT c.entity_id AS entity_id, c.date AS date, d.spend_minor AS spend_minor, d.impressions AS impressions, d.clicks AS clicks
FROM calendar AS c LEFT JOIN delivered AS d ON d.entity_id = c.entity_id AND d.date = c.date
ORDER BY indexOf({entities:Array(UUID)}, entity_id), date
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
