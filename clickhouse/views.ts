import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { refundedByHand } from './attribution/refunded-by-hand.ts'
import { nobody } from './nobody.ts'

/** The database analysts query: its views always show the live generation. */
const analystsDatabase = 'touchline'

interface View {
  name: string
  comment: string
  sql: (database: string) => string
}

/** Friendly names over the live tables, duplicates removed, nothing personal: facts hold tokens only. */
export const views: View[] = [
  {
    name: 'visits',
    comment: 'Page views and other hits of people, one row a hit; bots are left out',
    sql: (db) => `
SELECT h.* EXCEPT (version, is_bot), if(m.customer_id = ${nobody}, h.subject_id, m.customer_id) AS customer_id
FROM (SELECT * FROM ${db}.hits FINAL WHERE NOT is_bot) AS h
LEFT JOIN (SELECT * FROM ${db}.identity_map FINAL) AS m ON m.profile_id = h.profile_id AND m.subject_id = h.subject_id`,
  },
  {
    name: 'touches',
    comment: 'Marketing touches: what started each session, and synthetic ones, one row a touch',
    sql: (db) => `
SELECT t.* EXCEPT (version, content_hash, is_deleted), if(m.customer_id = ${nobody}, t.subject_id, m.customer_id) AS customer_id
FROM (SELECT * FROM ${db}.touches FINAL) AS t
LEFT JOIN (SELECT * FROM ${db}.identity_map FINAL) AS m ON m.profile_id = t.profile_id AND m.subject_id = t.subject_id`,
  },
  {
    name: 'conversions',
    comment: 'Conversions with their value in the reporting currency (minor units), one row a conversion',
    sql: (db) => `
SELECT profile_id, conversion_id, outcome_id, customer_id, conversion_type, revenue_type, is_eligible, occurred_at, day,
  amount_minor, currency, net_minor, is_first_payment, country, device, length(touch_ids) AS touch_count,
  channels[length(channels)] AS last_channel
FROM ${db}.credits FINAL`,
  },
  {
    name: 'touch_credits',
    comment: 'Who earned what: one row a conversion and touch, with the weights of six models in billionths',
    sql: (db) => `
SELECT profile_id, conversion_id, customer_id, conversion_type, revenue_type, day, net_minor, touch_id, touch_time, channel,
  source, is_direct, is_synthetic, campaign_id, ad_set_id, ad_id, join_method, position,
  last_touch, first_touch, linear, time_decay, last_non_direct, position_based
FROM (SELECT * FROM ${db}.credits FINAL)
ARRAY JOIN touch_ids AS touch_id, touch_times AS touch_time, channels AS channel, sources AS source, directs AS is_direct,
  synthetics AS is_synthetic, campaign_ids AS campaign_id, ad_set_ids AS ad_set_id, ad_ids AS ad_id,
  join_methods AS join_method, arrayEnumerate(touch_ids) AS position, last_touch, first_touch, linear, time_decay,
  last_non_direct, position_based`,
  },
  {
    name: 'outcomes',
    comment: 'Outcomes as they were reported, whether a definition counts them or not, one row an outcome',
    sql: (db) => `SELECT * EXCEPT (version, is_deleted) FROM ${db}.outcomes FINAL`,
  },
  {
    name: 'refunds',
    comment: 'What was refunded of each payment, by the provider and by hand, in the currency of the payment',
    sql: (db) => `
SELECT o.profile_id AS profile_id, o.outcome_id AS payment_id, o.occurred_at AS paid_at, o.currency AS currency,
  o.amount_minor AS amount_minor, o.refunded_minor AS provider_refunded_minor,
  ${refundedByHand('o', 'a')} AS manually_refunded_minor,
  least(o.amount_minor, o.refunded_minor + manually_refunded_minor) AS refunded_minor
FROM (SELECT * FROM ${db}.outcomes FINAL) AS o
LEFT JOIN (
  SELECT profile_id, payment_id, refunded_minor, refund_currency FROM ${db}.payment_actions FINAL WHERE kind = 'refund') AS a
  ON a.profile_id = o.profile_id AND a.payment_id = o.outcome_id
WHERE o.refunded_minor + manually_refunded_minor > 0`,
  },
  {
    name: 'ad_days',
    comment: 'Ad delivery with the names of its ad, ad set and campaign, one row an ad and day',
    // One join at a time: beyond two tables, columns of the same name would be shown with their table's.
    sql: (db) => {
      const named = (of: string, level: string) => `
SELECT d.*, e.name AS ${level}_name FROM (${of}) AS d
LEFT JOIN (SELECT profile_id, entity_id, name FROM ${db}.ad_entities FINAL) AS e
  ON e.profile_id = d.profile_id AND e.entity_id = d.${level}_id`
      return ['ad', 'ad_set', 'campaign'].reduce(named, `SELECT * EXCEPT version FROM ${db}.ad_delivery FINAL`)
    },
  },
  {
    name: 'ad_entities',
    comment: 'Campaigns, ad sets and ads as their newest delivery describes them',
    sql: (db) => `SELECT * EXCEPT version FROM ${db}.ad_entities FINAL`,
  },
  {
    name: 'customers',
    comment: 'Known customers and how many browsers and identifiers they hold; names and values are not here',
    sql: (db) => `
SELECT profile_id, customer_id, count() AS subjects FROM ${db}.identity_map FINAL GROUP BY profile_id, customer_id`,
  },
  {
    name: 'pipeline_stages',
    comment: 'What a deal in each stage of a CRM pipeline counts as',
    sql: (db) => `SELECT * EXCEPT version FROM ${db}.pipeline_stages FINAL`,
  },
  {
    name: 'definitions',
    comment: 'Which event types are conversions, and of what kind',
    sql: (db) => `SELECT * EXCEPT (version, is_deleted) FROM ${db}.conversion_definitions FINAL`,
  },
]

/** Points the analysts' views at a generation; each view changes at once. */
export async function publishViews(url: string, generation: string): Promise<void> {
  const client = createClient({ url, log: { level: ClickHouseLogLevel.OFF } })
  try {
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${analystsDatabase}` })
    for (const { name, comment, sql } of views) {
      await client.command({
        query: `CREATE OR REPLACE VIEW ${analystsDatabase}.${name} AS ${sql(generation)} COMMENT '${comment.replaceAll("'", "''")}'`,
      })
    }
  } finally {
    await client.close()
  }
}
