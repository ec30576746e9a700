import { platformAliases } from '../../domain/ad-platforms.ts'

const rated = (column: string) => `multiIf(d.currency = d.reporting_currency, toNullable(d.${column}),
        x.minor_rate > 0 AND d.date - x.date <= 7,
          toInt64(intDiv(toInt128(d.${column}) * x.minor_rate + 500000000000, toInt128(1000000000000))),
        NULL)`

/**
 * Common table expressions that end in `delivery`: what was delivered in range, one row an ad and day, with money in the
 * reporting currency. An amount takes the rate of its day, or the newest of the seven days before; without one it is
 * null and stays out of sums.
 */
export const deliveryInRange = (where = '1') => `
  told AS (
    SELECT *, (SELECT any(reporting_currency) FROM profiles FINAL WHERE profile_id = {profile:UUID}) AS reporting_currency
    FROM ad_delivery FINAL
    WHERE profile_id = {profile:UUID} AND date BETWEEN {from:Date} AND {to:Date} AND ${where}
  ),
  rates AS (
    SELECT base, quote, date, minor_rate FROM fx_rates FINAL
    WHERE quote = (SELECT any(reporting_currency) FROM profiles FINAL WHERE profile_id = {profile:UUID})
      AND date BETWEEN {from:Date} - 7 AND {to:Date}
  ),
  delivery AS (
    SELECT d.date AS date, d.platform AS platform, d.campaign_id AS campaign_id, d.ad_set_id AS ad_set_id, d.ad_id AS ad_id,
      d.impressions AS impressions, d.clicks AS clicks, d.reach AS reach,
      d.messaging_conversations_started_7d AS messaging_conversations_started_7d,
      d.platform_conversions AS platform_conversions,
      d.first_reply_rate AS first_reply_rate, d.avg_engagement_score AS avg_engagement_score,
      ${rated('spend_minor')} AS spend_minor,
      ${rated('platform_conversion_value_minor')} AS platform_value_minor
    FROM told AS d
    ASOF LEFT JOIN rates AS x ON x.base = d.currency AND x.quote = d.reporting_currency AND d.date >= x.date
  )`

const list = (values: readonly string[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`

/** The name reports show for the platform in a column. */
export const platformOf = (column: string) =>
  `transform(toString(${column}), ${list(platformAliases.aliases)}, ${list(platformAliases.names)}, toString(${column}))`
