import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { credited, reportParams } from './credited.ts'

const minor = z.coerce.bigint()

/** One row an entity: credit under the model and delivery of the same days, ranked by credited cash. */
export const campaignReport = (model: Model, level: Level) =>
  query({
    name: `campaign_report_${model}_${level}`,
    params: reportParams.extend({ limit: z.int() }),
    row: z.object({
      entity_id: z.uuid(),
      name: z.string(),
      parent_name: z.string(),
      external_id: z.string(),
      platform: z.string(),
      campaign_external_id: z.string(),
      ad_set_external_id: z.string(),
      status: z.string(),
      objective: z.string(),
      daily_budget_minor: minor.nullable(),
      spend_minor: minor,
      impressions: z.coerce.number(),
      clicks: z.coerce.number(),
      reach: z.coerce.number().nullable(),
      messaging_conversations_started_7d: z.coerce.number().nullable(),
      cash_count: z.coerce.number(),
      first_payment_count: z.coerce.number(),
      /** Minor units times billionths: divided once, when it is shown. */
      cash_value: minor,
      counts_by_type: z.record(z.string(), z.coerce.number()),
    }),
    sql: `
WITH
  by_type AS (
    SELECT entity_id, toString(conversion_type) AS type, countIf(is_first) AS conversions,
      countIf(is_first AND revenue_type = 'cash') AS cash_count,
      countIf(is_first AND opens_first_payment) AS first_payment_count,
      sumIf(toInt128(net_minor) * weight, revenue_type = 'cash') AS cash_value
    FROM (${credited(model, level)}
    )
    GROUP BY entity_id, type
  ),
  outcomes AS (
    SELECT entity_id, sum(cash_count) AS cash_count, sum(first_payment_count) AS first_payment_count, sum(cash_value) AS cash_value,
      mapFromArrays(groupArray(type), groupArray(conversions)) AS counts_by_type
    FROM by_type GROUP BY entity_id
  ),
  days AS (
    SELECT *, (SELECT reporting_currency FROM profiles FINAL WHERE profile_id = {profile:UUID}) AS reporting_currency
    FROM ad_delivery FINAL
    WHERE profile_id = {profile:UUID} AND date BETWEEN {from:Date} AND {to:Date}
  ),
  rates AS (
    SELECT base, quote, date, minor_rate FROM fx_rates FINAL
    WHERE (base, quote) IN (SELECT currency, reporting_currency FROM days WHERE currency != reporting_currency)
  ),
  delivery AS (
    SELECT ${level}_id AS entity_id,
      -- Spend in another currency takes the rate of its day, or the newest of the seven days before.
      sum(multiIf(d.currency = d.reporting_currency, d.spend_minor,
        x.minor_rate > 0 AND d.date - x.date <= 7,
          toInt64(intDiv(toInt128(d.spend_minor) * x.minor_rate + 500000000000, toInt128(1000000000000))),
        0)) AS spend_minor,
      sum(d.impressions) AS impressions, sum(d.clicks) AS clicks, max(d.reach) AS reach,
      sum(d.messaging_conversations_started_7d) AS messaging_conversations_started_7d
    FROM days AS d
    ASOF LEFT JOIN rates AS x ON x.base = d.currency AND x.quote = d.reporting_currency AND d.date >= x.date
    GROUP BY entity_id
  ),
  rows AS (
    SELECT if(o.cash_count + length(o.counts_by_type) > 0, o.entity_id, d.entity_id) AS entity_id,
      d.spend_minor AS spend_minor, d.impressions AS impressions, d.clicks AS clicks, d.reach AS reach,
      d.messaging_conversations_started_7d AS messaging_conversations_started_7d,
      o.cash_count AS cash_count, o.first_payment_count AS first_payment_count, o.cash_value AS cash_value, o.counts_by_type AS counts_by_type
    FROM delivery AS d FULL JOIN outcomes AS o ON o.entity_id = d.entity_id
    ORDER BY cash_value DESC, spend_minor DESC, toString(entity_id)
    LIMIT {limit:UInt32}
  ),
  entities AS (
    SELECT * FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${level}' AND entity_id IN (SELECT entity_id FROM rows)
  ),
  parents AS (
    SELECT entity_id, name FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${level === 'ad' ? 'ad_set' : 'campaign'}'
  )
SELECT r.entity_id AS entity_id, e.name AS name, ${level === 'campaign' ? "''" : 'p.name'} AS parent_name, e.external_id AS external_id,
  e.platform AS platform, e.campaign_external_id AS campaign_external_id, e.ad_set_external_id AS ad_set_external_id,
  e.status AS status, e.objective AS objective, e.daily_budget_minor AS daily_budget_minor,
  r.spend_minor AS spend_minor, r.impressions AS impressions, r.clicks AS clicks, r.reach AS reach,
  r.messaging_conversations_started_7d AS messaging_conversations_started_7d,
  r.cash_count AS cash_count, r.first_payment_count AS first_payment_count, toString(r.cash_value) AS cash_value, r.counts_by_type AS counts_by_type
FROM rows AS r
LEFT JOIN entities AS e ON e.entity_id = r.entity_id
LEFT JOIN parents AS p ON p.entity_id = ${level === 'ad' ? 'e.ad_set_id' : 'e.campaign_id'}
ORDER BY r.cash_value DESC, r.spend_minor DESC, toString(r.entity_id)
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
