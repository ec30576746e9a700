import { randomUUID } from 'node:crypto'
import type { Database } from './stage.ts'

export interface Shape {
  customers: number
  /** Touches of a customer: one of these counts each. */
  touches: number[]
}

const ads = 300
/** What one statement makes, within the memory that the engine grants it. */
const customersPerInsert = 50_000
const channels = [
  ...['direct', 'organic_search', 'paid_search', 'paid_social', 'organic_social'],
  ...['email', 'referral', 'display', 'affiliates', 'video'],
]

/**
 * A profile made inside ClickHouse: each customer has a browser with its touches, and a known identifier that holds
 * one sale after the last of them. What a recompute makes of them is under test.
 */
export async function makePaths({ run }: Database, { customers, touches }: Shape): Promise<string> {
  const profile = randomUUID()
  const id = (kind: string, of: string) => `reinterpretAsUUID(sipHash128('${kind}', '${profile}', ${of}))`
  const visitor = id('visitor', 'c')
  const token = id('token', 'c')
  const customer = id('customer', 'c')
  const soldAt = `toDateTime64('2026-06-01 00:00:00', 3, 'UTC') + toIntervalSecond(cityHash64(c) % (86400 * 60))`
  const people = `(SELECT number AS c FROM numbers(${customers}))`

  await run(
    `INSERT INTO profiles (profile_id, reporting_currency, timezone, version) VALUES ('${profile}', 'USD', 'UTC', 1)`,
  )
  await run(
    `INSERT INTO conversion_definitions (profile_id, definition_id, conversion_key, name, event_types, revenue_type,
       is_attribution_eligible, lookback_window_days, is_default, version)
     VALUES ('${profile}', '${randomUUID()}', 'sale', 'sale', ['payment_received'], 'cash', true, 30, true, 1)`,
  )
  await run(
    `INSERT INTO ad_entities (profile_id, level, entity_id, platform, external_id, name, campaign_id, ad_set_id,
       campaign_external_id, ad_set_external_id, version)
     SELECT '${profile}', 'ad', ${id('ad', 'number')}, 'meta', concat('ad-', toString(number)), concat('Ad ', toString(number)),
       ${id('campaign', 'number % 30')}, ${id('ad_set', 'number % 90')}, toString(number % 30), toString(number % 90), 1
     FROM numbers(${ads})`,
  )
  const insertTouches = (part: string) =>
    `INSERT INTO touches (profile_id, subject_id, touch_id, touch_time, channel, source, medium, is_direct, is_synthetic,
       utm, url, path, ad_ref, device, country, content_hash, version)
     SELECT '${profile}', ${visitor}, ${id('hit', 'c, i')},
       ${soldAt} - toIntervalSecond((n - i) * 86400 + cityHash64(c, i) % 3600),
       [${channels.map((name) => `'${name}'`).join()}][1 + cityHash64(i, c) % ${channels.length}] AS channel, channel, channel,
       channel = 'direct', false,
       if(channel = 'direct', CAST(map(), 'Map(String, String)'),
         map('source', channel, 'campaign', concat('c', toString(c % 30)))),
       concat('https://shop.example/p/', toString(c % 500)), concat('/p/', toString(c % 500)),
       if(channel IN ('paid_search', 'paid_social', 'display', 'video'), concat('ad-', toString(cityHash64(c, i) % ${ads})), ''),
       'desktop', 'CL', 1, 1
     FROM (SELECT c, n, i FROM (SELECT c, [${touches.join()}][1 + cityHash64(c) % ${touches.length}] AS n FROM ${part})
       ARRAY JOIN range(n) AS i)`
  for (let from = 0; from < customers; from += customersPerInsert) {
    const part = `(SELECT number + ${from} AS c FROM numbers(${Math.min(customersPerInsert, customers - from)}))`
    await run(insertTouches(part))
  }
  await run(
    `INSERT INTO outcomes (profile_id, outcome_id, conversion_id, subject_id, source, event_type, occurred_at, received_at,
       amount_minor, refunded_minor, currency, version)
     SELECT '${profile}', ${id('outcome', 'c')}, ${id('conversion', 'c')}, ${token}, 'server', 'payment_received',
       ${soldAt} AS sold_at, sold_at, 1000 + c % 9000, 0, 'USD', 1 FROM ${people}`,
  )
  for (const subject of [visitor, token]) {
    const map = `SELECT '${profile}', ${subject}, ${customer}`
    await run(`INSERT INTO identity_map (profile_id, subject_id, customer_id, version) ${map}, 1 FROM ${people}`)
  }
  return profile
}

/** The hits that these touches stand for, so that touches can be derived again as well. */
export const makeHits = ({ run }: Database): Promise<void> =>
  run(
    `INSERT INTO hits (profile_id, subject_id, event_id, event_type, event_time, received_at, url, path, channel, source,
       medium, is_direct, signature, utm, ad_ref, device, country, version)
     SELECT profile_id, subject_id, touch_id, 'page_view', touch_time, touch_time, url, path, channel, source, medium,
       is_direct, if(is_direct, '', channel), utm, ad_ref, device, country, 1 FROM touches`,
  )
