import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'

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
 * What a page's conversions are, with the touches that earn credit for `{entity:UUID}` under the model, or all credited
 * ones without a level. The page's order is kept; what is over its bound of touches is marked, and left to the next.
 */
export const conversionCredit = (model: Model, level: Level | undefined) =>
  query({
    name: `conversion_credit_${model}_${level ?? 'all'}`,
    params: z.object({ profile: z.uuid(), entity: z.uuid(), conversions: z.array(z.uuid()) }),
    row: z.object({
      conversion_id: z.uuid(),
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
WITH paths AS (
  SELECT conversion_id, outcome_id, customer_id, conversion_type, revenue_type, net_minor, is_first_payment,
    indexOf({conversions:Array(UUID)}, conversion_id) AS place,
    length(touch_ids) AS path_length, countEqual(directs, false) AS touch_count,
    arrayFilter(touch -> touch.12 > 0${level ? ` AND touch.${touchColumn[level]} = {entity:UUID}` : ''}, arrayZip(
      touch_ids, touch_times, arrayEnumerate(touch_ids), channels, sources, directs, synthetics,
      campaign_ids, ad_set_ids, ad_ids, join_methods, ${model})) AS earning
  FROM credits FINAL
  WHERE profile_id = {profile:UUID} AND conversion_id IN {conversions:Array(UUID)}
)
SELECT conversion_id, outcome_id, customer_id, conversion_type, revenue_type, net_minor, is_first_payment, path_length,
  touch_count, toBool(sum(length(earning)) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) > ${mostTouches}) AS is_over,
  CAST(if(is_over, [], earning), 'Array(Tuple(touch_id UUID, touch_time DateTime64(3, \\'UTC\\'), position UInt32,
    channel String, source String, is_direct Bool, is_synthetic Bool, campaign_id UUID, ad_set_id UUID, ad_id UUID,
    join_method String, weight UInt32))') AS touches
FROM paths
ORDER BY place`,
  })
