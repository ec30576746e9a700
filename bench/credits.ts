import { randomUUID } from 'node:crypto'
import { publishCredits, publishReport, rememberDays } from '../clickhouse/attribution/publish-credits.ts'
import type { Database } from './stage.ts'

export interface Reported {
  profile: string
  conversions: number
  ads: number
  /** The last day, and how many days the conversions and the delivery are spread over. */
  lastDay: string
  days: number
}

const conversionsPerSlice = 50_000
const adsOfSet = 4
const adsOfCampaign = 20

/**
 * Credit and delivery of a profile, made inside ClickHouse as a recompute would leave it: paths of 5 to 35 touches (20 on
 * average), of which two in five name an ad. It is published by the recompute's own statements.
 */
export async function makeCredits(database: Database, reported: Reported): Promise<void> {
  const { run, warehouse } = database
  const { profile, conversions } = reported
  await run(
    `INSERT INTO profiles (profile_id, reporting_currency, timezone, version) VALUES ('${profile}', 'USD', 'UTC', 1)`,
  )
  await makeDelivery(database, reported)
  for (let from = 0; from < conversions; from += conversionsPerSlice) {
    const slice = randomUUID()
    await run(credits(slice, reported, from, Math.min(conversionsPerSlice, conversions - from)))
    for (const step of [rememberDays, publishReport, publishCredits]) await warehouse.execute(step, { run: slice })
    await run('TRUNCATE TABLE recompute_credits')
  }
  // What the background merges of a quiet minute come to.
  for (const table of ['credits', 'report_credits', 'ad_delivery', 'ad_entities'])
    await run(`OPTIMIZE TABLE ${table} FINAL`)
}

/** Version 5 and the variant of RFC 9562, without which a UUID is none. */
const kept = (1n << 128n) - 1n - (15n << 12n) - (3n << 126n)
const marks = (5n << 12n) | (2n << 126n)

const entity = (profile: string, kind: string, of: string) =>
  `reinterpretAsUUID(bitOr(bitAnd(reinterpretAsUInt128(sipHash128('${kind}', '${profile}', ${of})), toUInt128('${kept}')), toUInt128('${marks}')))`

async function makeDelivery({ run }: Database, { profile, ads, lastDay, days }: Reported): Promise<void> {
  const [ad, set, campaign] = [
    entity(profile, 'ad', 'toUInt64(a)'),
    entity(profile, 'ad_set', `toUInt64(intDiv(a, ${adsOfSet}))`),
    entity(profile, 'campaign', `toUInt64(intDiv(a, ${adsOfCampaign}))`),
  ]
  const levels = { ad: [ad, 1], ad_set: [set, adsOfSet], campaign: [campaign, adsOfCampaign] } as const
  for (const [level, [id, step]] of Object.entries(levels)) {
    await run(
      `INSERT INTO ad_entities (profile_id, level, entity_id, platform, external_id, name, campaign_id, ad_set_id,
         campaign_external_id, ad_set_external_id, status, currency, version)
       SELECT '${profile}', '${level}', ${id}, ['meta', 'google', 'tiktok'][1 + intDiv(a, ${adsOfCampaign}) % 3],
         concat('${level}-', toString(a)), concat('${level} ', toString(a)), ${campaign}, ${set},
         toString(intDiv(a, ${adsOfCampaign})), toString(intDiv(a, ${adsOfSet})), 'ACTIVE', 'USD', 1
       FROM (SELECT number * ${step} AS a FROM numbers(intDiv(${ads}, ${step})))`,
    )
  }
  await run(
    `INSERT INTO ad_delivery (profile_id, date, platform, campaign_id, ad_set_id, ad_id, currency, spend_minor, impressions,
       clicks, reach, platform_conversions, platform_conversion_value_minor, version)
     SELECT '${profile}', toDate('${lastDay}') - intDiv(number, ${ads}), ['meta', 'google', 'tiktok'][1 + intDiv(a, ${adsOfCampaign}) % 3],
       ${campaign}, ${set}, ${ad}, 'USD', 100 + cityHash64(number) % 9000, 1000, 20, 900, 1, 5000, 1
     FROM (SELECT number, number % ${ads} AS a FROM numbers(${ads * days}))`,
    { max_partitions_per_insert_block: 1000 },
  )
}

/** Paths first, then weights: 'i' is a touch's place, 'n' how many there are. */
function credits(slice: string, { profile, ads, lastDay, days }: Reported, from: number, count: number): string {
  const named = (kind: string, by: number) =>
    `arrayMap((a, is_named) -> if(is_named, ${entity(profile, kind, `toUInt64(intDiv(a, ${by}))`)}, nobody), picks, names)`
  const shares = (weight: string) => `arrayMap(i -> toUInt32(${weight}), places)`
  return `
    INSERT INTO recompute_credits (run_id, profile_id, conversion_id, outcome_id, customer_id, conversion_type, revenue_type,
      is_eligible, occurred_at, day, amount_minor, currency, net_minor, is_first_payment, opens_first_payment,
      touch_ids, touch_times, channels, sources, directs, synthetics, campaign_ids, ad_set_ids, ad_ids, join_methods,
      last_touch, first_touch, linear, time_decay, last_non_direct, position_based, content_hash, version)
    WITH toUUID('00000000-0000-0000-0000-000000000000') AS nobody,
      paths AS (
        SELECT c, 5 + cityHash64(c, 'n') % 31 AS n, range(1, n + 1) AS places,
          arrayMap(i -> cityHash64(c, i) % ${ads}, places) AS picks,
          arrayMap(i -> cityHash64(c, i, 'named') % 5 < 2, places) AS names,
          toDateTime64('${lastDay} 12:00:00', 3, 'UTC') - toIntervalDay(cityHash64(c) % ${days})
            + toIntervalSecond(cityHash64(c, 's') % 40000) AS occurred,
          cityHash64(c, 'type') % 4 = 0 AS is_lead
        FROM (SELECT number + ${from} AS c FROM numbers(${count}))
      )
    SELECT '${slice}', '${profile}', ${entity(profile, 'conversion', 'c')}, ${entity(profile, 'outcome', 'c')},
      ${entity(profile, 'customer', 'c')}, if(is_lead, 'lead_created', 'payment_received'), if(is_lead, 'pipeline', 'cash'),
      true, occurred, toDate(occurred), 1000 + c % 90000, 'USD', 1000 + c % 90000, true, NOT is_lead,
      arrayMap(i -> ${entity(profile, 'touch', 'c, i')}, places),
      arrayMap(i -> occurred - toIntervalHour(10 * (n - i)), places),
      arrayMap(is_named -> if(is_named, 'paid_social', 'organic_search'), names),
      arrayMap(is_named -> if(is_named, 'facebook', 'google'), names),
      arrayMap(i -> false, places), arrayMap(i -> false, places),
      ${named('campaign', adsOfCampaign)}, ${named('ad_set', adsOfSet)}, ${named('ad', 1)},
      arrayMap(is_named -> if(is_named, 'service_ad_id', ''), names),
      ${shares('if(i = n, 1000000000, 0)')}, ${shares('if(i = 1, 1000000000, 0)')},
      ${shares('intDiv(1000000000, n) + if(i = n, 1000000000 % n, 0)')},
      ${shares('if(i = n, 1000000000 - intDiv(1000000000, n + 1) * (n - 1), intDiv(1000000000, n + 1))')},
      ${shares('if(i = n, 1000000000, 0)')},
      ${shares('multiIf(i = 1, 400000000, i = n, 600000000 - intDiv(200000000, n - 2) * (n - 2), intDiv(200000000, n - 2))')},
      1, 1
    FROM paths`
}
