import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { credited } from './credited.ts'
import { boundCurrency, deliveryInRange, platformOf } from './delivery.ts'

const minor = z.coerce.bigint()
const count = z.coerce.number()

/** What reports say of an entity: what it is, what was delivered, what the model credits it with. */
export const EntityRow = z.object({
  entity_id: z.uuid(),
  platform: z.string(),
  external_id: z.string(),
  name: z.string(),
  parent_name: z.string(),
  campaign_external_id: z.string(),
  ad_set_external_id: z.string(),
  status: z.string(),
  objective: z.string(),
  campaign_objective: z.string(),
  learning_stage_status: z.string(),
  daily_budget_minor: minor.nullable(),
  spend_minor: minor,
  impressions: count,
  clicks: count,
  reach: count.nullable(),
  messaging_conversations_started_7d: count.nullable(),
  cash_count: count,
  first_payment_count: count,
  /** Minor units times billionths: divided once, when it is shown. */
  cash_value: minor,
  counts_by_type: z.record(z.string(), count),
})
export type EntityRow = z.infer<typeof EntityRow>

const parentLevel = { ad: 'ad_set', ad_set: 'campaign' } as const

/**
 * Common table expressions that end in `figures`: one row an entity of the level that delivered or earned in range.
 * `which` narrows it to one entity, `{entity:UUID}`.
 */
export const entityFigures = (model: Model, level: Level, which: 'all' | 'one' = 'all') => `
  by_type AS (
    SELECT entity_id, toString(conversion_type) AS type, countIf(is_first) AS conversions,
      countIf(is_first AND revenue_type = 'cash') AS cash_count,
      countIf(is_first AND opens_first_payment) AS first_payment_count,
      sumIf(toInt128(net_minor) * weight, revenue_type = 'cash') AS cash_value
    FROM (${credited(model, level)}
    )
    ${which === 'one' ? 'WHERE entity_id = {entity:UUID}' : ''}
    GROUP BY entity_id, type
  ),
  ${deliveryInRange({ currency: boundCurrency, ...(which === 'one' && { where: `${level}_id = {entity:UUID}` }) })},
  figures AS (
    SELECT entity_id, sum(spend_minor) AS spend_minor, sum(impressions) AS impressions, sum(clicks) AS clicks,
      max(reach) AS reach, sum(messages) AS messaging_conversations_started_7d,
      sum(platform_conversions) AS platform_conversions, sum(platform_value_minor) AS platform_value_minor,
      sum(cash_count) AS cash_count,
      sum(first_payment_count) AS first_payment_count, sum(cash_value) AS cash_value,
      sumMap(counts_by_type) AS counts_by_type
    FROM (
      SELECT entity_id, toInt64(0) AS spend_minor, toUInt64(0) AS impressions, toUInt64(0) AS clicks,
        CAST(NULL AS Nullable(UInt64)) AS reach, CAST(NULL AS Nullable(UInt64)) AS messages,
        CAST(NULL AS Nullable(Float64)) AS platform_conversions, CAST(NULL AS Nullable(Int64)) AS platform_value_minor,
        cash_count, first_payment_count, cash_value, map(type, conversions) AS counts_by_type
      FROM by_type
      UNION ALL
      SELECT ${level}_id AS entity_id, ifNull(sum(spend_minor), 0), sum(impressions), sum(clicks), max(reach),
        sum(messaging_conversations_started_7d), sum(platform_conversions), sum(platform_value_minor),
        0, 0, toInt128(0), CAST(map(), 'Map(String, UInt64)')
      FROM delivery
      GROUP BY entity_id
    )
    GROUP BY entity_id
  )`

/**
 * Rows of `figures` with what the entities are. All entities of the level are joined: a common table expression runs
 * again wherever it is named, and asking the figures which ones are needed would cost more. A daily budget is shown in
 * the reporting currency at the newest rate of the week before the last day; without one it is null.
 */
export const described = (level: Level, rows: string, which: 'all' | 'one' = 'all') => `
  entities AS (
    SELECT * FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${level}'${which === 'one' ? ' AND entity_id = {entity:UUID}' : ''}
  ),
${
  level === 'campaign'
    ? ''
    : `
  parents AS (
    SELECT entity_id, name, objective FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${parentLevel[level]}'
  ),`
}
  newest_rates AS (
    SELECT base, argMax(minor_rate, date) AS minor_rate FROM rates WHERE date >= {to:Date} - 7 GROUP BY base
  ),
  described AS (
    SELECT r.*, e.name AS name, e.external_id AS external_id, ${platformOf('e.platform')} AS platform,
      e.campaign_id AS campaign_id, e.ad_set_id AS ad_set_id,
      e.campaign_external_id AS campaign_external_id, e.ad_set_external_id AS ad_set_external_id,
      e.status AS status, e.objective AS objective, e.learning_stage_status AS learning_stage_status,
      multiIf(
        e.currency = {currency:String}, e.daily_budget_minor,
        x.minor_rate > 0,
          toInt64(intDiv(toInt128(e.daily_budget_minor) * x.minor_rate + 500000000000, toInt128(1000000000000))),
        NULL) AS daily_budget_minor
    FROM ${rows} AS r
    LEFT JOIN entities AS e ON e.entity_id = r.entity_id
    LEFT JOIN newest_rates AS x ON x.base = e.currency
  )`

/** The columns of EntityRow, from `described`; a campaign has no parent, an ad set's is its campaign. */
export const entityColumns = (level: Level) => `
  r.entity_id AS entity_id, r.platform AS platform, r.external_id AS external_id, r.name AS name,
  ${level === 'campaign' ? "''" : 'p.name'} AS parent_name,
  ${level === 'ad_set' ? 'p.objective' : "''"} AS campaign_objective,
  r.campaign_external_id AS campaign_external_id, r.ad_set_external_id AS ad_set_external_id, r.status AS status,
  r.objective AS objective, r.learning_stage_status AS learning_stage_status,
  r.daily_budget_minor AS daily_budget_minor, r.spend_minor AS spend_minor, r.impressions AS impressions,
  r.clicks AS clicks, r.reach AS reach, r.messaging_conversations_started_7d AS messaging_conversations_started_7d,
  r.cash_count AS cash_count, r.first_payment_count AS first_payment_count, toString(r.cash_value) AS cash_value,
  r.counts_by_type AS counts_by_type
FROM described AS r
${level === 'campaign' ? '' : `LEFT JOIN parents AS p ON p.entity_id = r.${parentLevel[level]}_id`}`
