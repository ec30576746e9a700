import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { credited, isSingleCredit, unassigned } from './credited.ts'
import { boundCurrency, type Currencies, deliveryInRange, deliveryParams, platformOf } from './delivery.ts'
import { entityFigures } from './entity-figures.ts'

const minor = z.coerce.bigint()
const count = z.coerce.number()

/** Both sides of a comparison. Cash is in minor units times billionths, the platform's value in minor units. */
const Sides = z.object({
  spend_minor: minor,
  /** Days of ads whose spend has no rate: it is not in `spend_minor`. */
  unrated_days: count,
  platform_conversions: count.nullable(),
  platform_value_minor: minor.nullable(),
  /** Days of ads whose claimed value has no rate: it is not in `platform_value_minor`. */
  unrated_claims: count,
  conversions: count,
  cash_count: count,
  cash_value: minor,
})
export type Sides = z.infer<typeof Sides>

/** What each entity's platform claims, and what the model credits it with; highest spend first. */
export const entityComparison = (model: Model, level: Level, currencies: Currencies) =>
  query({
    name: `entity_comparison_${model}_${level}`,
    params: deliveryParams.extend({ limit: z.int() }),
    row: Sides.extend({
      entity_id: z.uuid(),
      platform: z.string(),
      external_id: z.string(),
      name: z.string(),
      row_count: count,
    }),
    sql: `
WITH
  ${entityFigures(model, level, { currencies })},
  ranked AS (
    SELECT entity_id, spend_minor, unrated_days, platform_conversions, platform_value_minor, unrated_claims,
      arraySum(mapValues(counts_by_type)) AS conversions, cash_count, cash_value, count() OVER () AS row_count
    FROM figures
    ORDER BY spend_minor DESC, cash_value DESC, toString(entity_id)
    LIMIT {limit:UInt32}
  )
SELECT r.entity_id AS entity_id, ${platformOf('e.platform')} AS platform, e.external_id AS external_id, e.name AS name,
  r.spend_minor AS spend_minor, r.unrated_days AS unrated_days, r.platform_conversions AS platform_conversions,
  r.platform_value_minor AS platform_value_minor, r.unrated_claims AS unrated_claims, r.conversions AS conversions, r.cash_count AS cash_count,
  toString(r.cash_value) AS cash_value, r.row_count AS row_count
FROM ranked AS r
LEFT JOIN (
  SELECT entity_id, platform, external_id, name FROM ad_entities FINAL
  WHERE profile_id = {profile:UUID} AND level = '${level}'
) AS e ON e.entity_id = r.entity_id
ORDER BY r.spend_minor DESC, r.cash_value DESC, toString(r.entity_id)
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })

const entitiesOf = (level: Level) => `
      SELECT entity_id, ${platformOf('platform')} AS platform FROM ad_entities FINAL
      WHERE profile_id = {profile:UUID} AND level = '${level}'`

/**
 * The same by platform, where a conversion that several of its entities share counts once; and what paid clicks earned
 * that name no entity of the level.
 */
export function platformTotals(model: Model, level: Level, currencies: Currencies) {
  const distinct = (condition: string) =>
    isSingleCredit(model) ? `countIf(${condition})` : `uniqExactIf(conversion_id, ${condition})`
  const earned = `${distinct('true')} AS conversions, ${distinct("revenue_type = 'cash'")} AS cash_count,
      sumIf(toInt128(net_minor) * weight, revenue_type = 'cash') AS cash_value`
  const columns = 'conversion_id, revenue_type, net_minor'
  return query({
    name: `platform_totals_${model}_${level}`,
    params: deliveryParams,
    row: Sides.extend({
      platform: z.string(),
      delivery_through: z.iso.date().nullable(),
      unassigned_count: count,
      unassigned_value: minor,
    }),
    sql: `
WITH
  assigned AS (
    SELECT e.platform AS platform, ${earned}
    FROM (${credited(model, level, columns)}
    ) AS c
    INNER JOIN (${entitiesOf(level)}
    ) AS e ON e.entity_id = c.entity_id
    GROUP BY platform
  ),
  stray AS (
    SELECT if(e.platform != '', e.platform, c.paid) AS platform, ${earned}
    FROM (${unassigned(model, level, columns)}
    ) AS c
    LEFT JOIN (${entitiesOf('campaign')}
    ) AS e ON e.entity_id = c.campaign_id
    GROUP BY platform
  ),
  ${deliveryInRange({ currencies, currency: boundCurrency })},
  delivered AS (
    SELECT ${platformOf('platform')} AS name, ifNull(sum(spend_minor), 0) AS spend_minor,
      countIf(isNull(delivery.spend_minor)) AS unrated_days,
      sum(platform_conversions) AS platform_conversions, sum(platform_value_minor) AS platform_value_minor,
      countIf(is_claim_unrated) AS unrated_claims, toNullable(max(date)) AS delivery_through
    FROM delivery GROUP BY name
  )
SELECT platform, sum(spend_minor) AS spend_minor, sum(unrated) AS unrated_days, sum(claimed) AS platform_conversions,
  sum(claimed_minor) AS platform_value_minor, sum(unrated_values) AS unrated_claims,
  max(through) AS delivery_through, sum(conversions) AS conversions, sum(cash_count) AS cash_count,
  toString(sum(cash_value)) AS cash_value, sum(unassigned_count) AS unassigned_count,
  toString(sum(unassigned_value)) AS unassigned_value
FROM (
  SELECT name AS platform, spend_minor, unrated_days AS unrated, platform_conversions AS claimed,
    platform_value_minor AS claimed_minor, unrated_claims AS unrated_values, delivery_through AS through, toUInt64(0) AS conversions,
    toUInt64(0) AS cash_count, toInt128(0) AS cash_value, toUInt64(0) AS unassigned_count, toInt128(0) AS unassigned_value
  FROM delivered
  UNION ALL
  SELECT platform, 0, 0, NULL, NULL, 0, NULL, conversions, cash_count, cash_value, 0, 0 FROM assigned
  UNION ALL
  SELECT platform, 0, 0, NULL, NULL, 0, NULL, 0, 0, 0, conversions, cash_value FROM stray
)
GROUP BY platform
ORDER BY spend_minor DESC, platform
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
}
