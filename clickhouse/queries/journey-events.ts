import { z } from 'zod'
import { outcomesInForce } from '../attribution/outcomes-in-force.ts'
import { query } from '../query.ts'
import { adReferences } from './named-ads.ts'

const text = z.string().transform((value) => value || null)

/** Events of a journey in full: hits of these subjects, and outcomes. In no order. */
export const journeyEvents = query({
  name: 'journey_events',
  params: z.object({
    profile: z.uuid(),
    subjects: z.array(z.uuid()),
    hits: z.array(z.uuid()),
    outcomes: z.array(z.uuid()),
  }),
  row: z.object({
    id: z.uuid(),
    event_type: z.string(),
    event_name: z.string(),
    event_time: z.string(),
    url: text,
    path: text,
    channel: text,
    source: text,
    medium: text,
    amount_minor: z.coerce.bigint().nullable(),
    currency: text,
    device: text,
    browser: text,
    os: text,
    country: text,
    city: text,
    is_synthetic: z.boolean(),
    is_touch: z.boolean(),
    ...adReferences,
  }),
  sql: `
WITH started AS (
  SELECT touch_id, is_synthetic FROM touches FINAL
  WHERE profile_id = {profile:UUID} AND subject_id IN {subjects:Array(UUID)}
    AND (touch_id IN {hits:Array(UUID)} OR touch_id IN {outcomes:Array(UUID)})
)
SELECT event_id AS id, toString(event_type) AS event_type, if(event_name = '', event_type, event_name) AS event_name,
  event_time, url, path, toString(channel) AS channel, toString(source) AS source, toString(medium) AS medium,
  CAST(NULL AS Nullable(Int64)) AS amount_minor, '' AS currency, toString(device) AS device,
  toString(browser) AS browser, toString(os) AS os, toString(country) AS country, city, false AS is_synthetic,
  toBool(event_id IN (SELECT touch_id FROM started WHERE NOT is_synthetic)) AS is_touch,
  ad_ref, ad_set_ref, campaign_ref, utm['content'] AS tag_content, utm['term'] AS tag_term, utm['id'] AS tag_id,
  utm['campaign'] AS tag_campaign
FROM hits FINAL
WHERE profile_id = {profile:UUID} AND subject_id IN {subjects:Array(UUID)} AND event_id IN {hits:Array(UUID)}
UNION ALL
SELECT outcome_id, toString(event_type), if(event_name = '', event_type, event_name), occurred_at, url, path,
  toString(channel), if(provider != '', toString(provider), toString(traffic_source)), toString(medium),
  amount_minor, toString(currency), toString(device), toString(browser), toString(os), toString(country), city,
  toBool(outcome_id IN (SELECT touch_id FROM started WHERE is_synthetic)) AS synthetic, synthetic, ad_ref, ad_set_ref, campaign_ref, '', '', '', ''
FROM (${outcomesInForce({
    outcomes: 'profile_id = {profile:UUID} AND outcome_id IN {outcomes:Array(UUID)}',
    stages: 'profile_id = {profile:UUID}',
  })}
)`,
})
