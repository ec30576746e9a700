import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { credited } from './credited.ts'
import { boundCurrency, type Currencies, deliveryInRange } from './delivery.ts'

const minor = z.coerce.bigint()
const count = z.coerce.number()

/** What was delivered for an entity, and what the model credits it with. */
export const EntityFigures = z.object({
  entity_id: z.uuid(),
  spend_minor: minor,
  /** Days of ads whose spend has no rate: it is not in `spend_minor`. */
  unrated_days: count,
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
export type EntityFigures = z.infer<typeof EntityFigures>

/** Its columns, from `figures`. */
export const figureColumns = `entity_id, spend_minor, unrated_days, impressions, clicks, reach, messaging_conversations_started_7d,
  cash_count, first_payment_count, cash_value, counts_by_type`

interface Figures {
  currencies: Currencies
  /** Narrows it to one entity, `{entity:UUID}`. */
  which?: 'all' | 'one'
}

/** Common table expressions that end in `figures`: one row an entity of the level that delivered or earned in range. */
export const entityFigures = (model: Model, level: Level, { currencies, which = 'all' }: Figures) => `
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
  ${deliveryInRange({
    currencies,
    currency: boundCurrency,
    ...(which === 'one' && { where: `${level}_id = {entity:UUID}` }),
  })},
  figures AS (
    SELECT entity_id, sum(spend_minor) AS spend_minor, sum(unrated_days) AS unrated_days, sum(impressions) AS impressions, sum(clicks) AS clicks,
      max(reach) AS reach, sum(messages) AS messaging_conversations_started_7d,
      sum(platform_conversions) AS platform_conversions, sum(platform_value_minor) AS platform_value_minor,
      sum(unrated_claims) AS unrated_claims, sum(cash_count) AS cash_count,
      sum(first_payment_count) AS first_payment_count, sum(cash_value) AS cash_value,
      sumMap(counts_by_type) AS counts_by_type
    FROM (
      SELECT entity_id, toInt64(0) AS spend_minor, toUInt64(0) AS unrated_days, toUInt64(0) AS impressions, toUInt64(0) AS clicks,
        CAST(NULL AS Nullable(UInt64)) AS reach, CAST(NULL AS Nullable(UInt64)) AS messages,
        CAST(NULL AS Nullable(Float64)) AS platform_conversions, CAST(NULL AS Nullable(Int64)) AS platform_value_minor,
        toUInt64(0) AS unrated_claims, cash_count, first_payment_count, cash_value, map(type, conversions) AS counts_by_type
      FROM by_type
      UNION ALL
      SELECT ${level}_id AS entity_id, ifNull(sum(spend_minor), 0), countIf(isNull(spend_minor)), sum(impressions), sum(clicks), max(reach),
        sum(messaging_conversations_started_7d), sum(platform_conversions), sum(platform_value_minor),
        countIf(is_claim_unrated), 0, 0, toInt128(0), CAST(map(), 'Map(String, UInt64)')
      FROM delivery
      GROUP BY entity_id
    )
    GROUP BY entity_id
  )`
