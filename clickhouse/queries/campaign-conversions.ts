import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { creditedTo, inRange, nobody, reportParams } from './credited.ts'

/** A page holds at most so many touches, however long the paths are; one path has at most 500. */
const mostTouches = 1000

const Touch = z.object({
  touch_id: z.uuid(),
  touch_time: z.iso.datetime(),
  position: z.coerce.number(),
  channel: z.string(),
  source: z.string(),
  is_direct: z.boolean(),
  is_synthetic: z.boolean(),
  campaign_id: z.uuid(),
  ad_set_id: z.uuid(),
  ad_id: z.uuid(),
  join_method: z.string(),
  weight: z.coerce.number(),
})

/** Where a path's tuple has the entity of a level. */
const touchColumn: Record<Level, number> = { campaign: 8, ad_set: 9, ad: 10 }

/**
 * Conversions in range, newest first, with the touches that earn credit for the entity under the model; without a level
 * all conversions and every credited touch. A page goes on after a conversion's (day, time, id): rows that come in
 * meanwhile shift nothing. What is over the page's bound of touches is marked, and comes with the next page.
 */
export const campaignConversions = (model: Model, level: Level | undefined) =>
  query({
    name: `campaign_conversions_${model}_${level ?? 'all'}`,
    params: reportParams.extend({
      entity: z.uuid(),
      type: z.string(),
      limit: z.int(),
      after_day: z.iso.date(),
      after_ms: z.string(),
      after_id: z.string(),
    }),
    row: z.object({
      conversion_id: z.uuid(),
      day: z.iso.date(),
      occurred_ms: z.coerce.number(),
      /** Credit is published a moment after the report row. */
      is_published: z.boolean(),
      is_over: z.boolean(),
      outcome_id: z.uuid(),
      customer_id: z.uuid(),
      conversion_type: z.string(),
      revenue_type: z.string(),
      net_minor: z.coerce.bigint().nullable(),
      is_first_payment: z.boolean().nullable(),
      path_length: z.coerce.number(),
      touch_count: z.coerce.number(),
      touches: z.array(Touch),
    }),
    sql: `
WITH
  page AS (
    SELECT day, conversion_id, occurred_at FROM report_credits FINAL
    WHERE ${level ? creditedTo(model, level) : inRange}
      AND day <= addDays({after_day:Date}, 1)
      AND ({type:String} = '' OR conversion_type = {type:String})
      AND ({after_id:String} = ''
        OR toUnixTimestamp64Milli(occurred_at) < toInt64({after_ms:String})
        OR (toUnixTimestamp64Milli(occurred_at) = toInt64({after_ms:String}) AND toString(conversion_id) > {after_id:String}))
    ORDER BY occurred_at DESC, toString(conversion_id)
    LIMIT {limit:UInt32}
  ),
  paths AS (
    SELECT conversion_id, outcome_id, customer_id, conversion_type, revenue_type, net_minor, is_first_payment,
      length(touch_ids) AS path_length, countEqual(directs, false) AS touch_count,
      arrayFilter(touch -> touch.12 > 0${level ? ` AND touch.${touchColumn[level]} = {entity:UUID}` : ''}, arrayZip(
        touch_ids, touch_times, arrayEnumerate(touch_ids), channels, sources, directs, synthetics,
        campaign_ids, ad_set_ids, ad_ids, join_methods, ${model})) AS touches
    FROM credits FINAL
    WHERE profile_id = {profile:UUID} AND conversion_id IN (SELECT conversion_id FROM page)
  )
SELECT p.conversion_id AS conversion_id, p.day AS day, toUnixTimestamp64Milli(p.occurred_at) AS occurred_ms,
  toBool(c.outcome_id != ${nobody}) AS is_published,
  toBool(sum(length(c.touches)) OVER (ORDER BY p.occurred_at DESC, toString(p.conversion_id) ROWS UNBOUNDED PRECEDING) > ${mostTouches}) AS is_over,
  c.outcome_id AS outcome_id, c.customer_id AS customer_id, c.conversion_type AS conversion_type,
  c.revenue_type AS revenue_type, c.net_minor AS net_minor, c.is_first_payment AS is_first_payment,
  c.path_length AS path_length, c.touch_count AS touch_count,
  CAST(if(is_over, [], c.touches), 'Array(Tuple(touch_id UUID, touch_time DateTime64(3, \\'UTC\\'), position UInt32,
    channel String, source String, is_direct Bool, is_synthetic Bool, campaign_id UUID, ad_set_id UUID, ad_id UUID,
    join_method String, weight UInt32))') AS touches
FROM page AS p LEFT JOIN paths AS c ON c.conversion_id = p.conversion_id
ORDER BY p.occurred_at DESC, toString(p.conversion_id)
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
