import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { models } from '../domain/models.ts'
import { refundedByHand } from './attribution/refunded-by-hand.ts'
import { nobody } from './nobody.ts'
import { rated } from './queries/delivery.ts'

/** The database analysts query: its views always show the live generation. */
const analystsDatabase = 'touchline'

interface View {
  name: string
  comment: string
  sql: (database: string) => string
  /** Comments of columns that its tables do not have, or mean otherwise. */
  columns?: Record<string, string>
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
    columns: {
      touch_count: 'Touches on its path',
      last_channel: 'Channel of the last touch; empty when there is none',
    },
  },
  {
    name: 'touch_credits',
    comment: 'Who earned what: one row a conversion and touch, with the weights of six models in billionths',
    // Weights are wide, so that a sum of minor units times billionths never overflows.
    sql: (db) => `
SELECT * REPLACE (${models.map((model) => `toInt128(${model}) AS ${model}`).join(', ')}) FROM (
SELECT profile_id, conversion_id, customer_id, conversion_type, revenue_type, day, net_minor, touch_id, touch_time, channel,
  source, is_direct, is_synthetic, campaign_id, ad_set_id, ad_id, join_method, position,
  ${models.join(', ')}
FROM (SELECT * FROM ${db}.credits FINAL)
ARRAY JOIN touch_ids AS touch_id, touch_times AS touch_time, channels AS channel, sources AS source, directs AS is_direct,
  synthetics AS is_synthetic, campaign_ids AS campaign_id, ad_set_ids AS ad_set_id, ad_ids AS ad_id,
  join_methods AS join_method, arrayEnumerate(touch_ids) AS position, last_touch, first_touch, linear, time_decay,
  last_non_direct, position_based
)`,
    columns: {
      touch_id: 'Touch',
      touch_time: 'Time of the touch',
      channel: 'Channel of the touch',
      source: 'Source of the touch',
      is_direct: 'Whether the touch is direct',
      is_synthetic: 'Whether the touch stands for a conversion without a visit',
      campaign_id: 'Internal id of the campaign it names; zeros when it names none',
      ad_set_id: 'Internal id of the ad set it names; zeros when it names none',
      ad_id: 'Internal id of the ad it names; zeros when it names none',
      join_method: 'How the touch names its ad; empty when it names none',
      position: 'Place on the path, from 1',
      ...Object.fromEntries(models.map((model) => [model, `Weight under ${model}, in billionths`])),
    },
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
    columns: {
      payment_id: 'Payment',
      paid_at: 'When it was paid',
      provider_refunded_minor: 'Refunded by the provider, minor units',
      manually_refunded_minor: 'Refunded by hand, minor units',
      refunded_minor: 'Refunded by both, never more than the payment, minor units',
    },
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
      return ['ad', 'ad_set', 'campaign'].reduce(named, inReportingCurrency(db))
    },
    columns: {
      ad_name: 'Name of the ad',
      ad_set_name: 'Name of the ad set',
      campaign_name: 'Name of the campaign',
      reporting_spend_minor: 'Spend in the reporting currency, minor units; null where no exchange rate is known',
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
    columns: { subjects: 'Browsers and identifiers that the customer holds' },
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

/** Ad delivery with its spend as reports add it up. */
function inReportingCurrency(db: string): string {
  return `
SELECT d.* EXCEPT (version, quote),
  if(d.currency = d.quote, toNullable(d.spend_minor), ${rated('spend_minor')}) AS reporting_spend_minor
FROM (
  SELECT a.*, p.reporting_currency AS quote FROM (SELECT * FROM ${db}.ad_delivery FINAL) AS a
  LEFT JOIN (SELECT profile_id, reporting_currency FROM ${db}.profiles FINAL) AS p ON p.profile_id = a.profile_id
) AS d
ASOF LEFT JOIN (SELECT base, quote, date, minor_rate FROM ${db}.fx_rates FINAL) AS x
  ON x.base = d.currency AND x.quote = d.quote AND d.date >= x.date`
}

/** Points the analysts' views at a generation; each view changes at once. */
export async function publishViews(url: string, generation: string): Promise<void> {
  const client = createClient({ url, log: { level: ClickHouseLogLevel.OFF } })
  try {
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${analystsDatabase}` })
    const read = async <Row>(query: string) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>()
    const explained = await read<Column & { table: string; comment: string }>(
      `SELECT table, name, comment FROM system.columns WHERE database = '${generation}'`,
    )
    for (const { name, comment, sql, columns = {} } of views) {
      const query = sql(generation)
      const tables = [...query.matchAll(new RegExp(`${generation}\\.(\\w+)`, 'g'))].map(([, table]) => table)
      const comments = new Map(explained.filter(({ table }) => tables.includes(table)).map((c) => [c.name, c.comment]))
      const listed = (await read<Column>(`DESCRIBE (${query})`)).map(
        (column) =>
          `\`${column.name}\` ${column.type} COMMENT ${quoted(columns[column.name] ?? comments.get(column.name) ?? '')}`,
      )
      await client.command({
        query: `CREATE OR REPLACE VIEW ${analystsDatabase}.${name} (${listed.join(', ')}) AS ${query} COMMENT ${quoted(comment)}`,
      })
    }
  } finally {
    await client.close()
  }
}

interface Column {
  name: string
  type: string
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
