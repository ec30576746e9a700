import { z } from 'zod'
import { query } from '../query.ts'

const text = z.string().transform((value) => value || null)

/** The events of a customer's or an anonymous visitor's subjects, in order of time. */
export const journey = query({
  name: 'journey',
  params: z.object({ profile: z.uuid(), customer: z.uuid(), limit: z.int(), offset: z.int() }),
  row: z.object({
    event_type: z.string(),
    event_name: z.string(),
    event_time: z.string(),
    url: text,
    path: text,
    channel: text,
    source: text,
    medium: text,
    campaign: text,
    amount_minor: z.coerce.bigint().nullable(),
    currency: text,
    device: text,
    browser: text,
    os: text,
    country: text,
    city: text,
    is_synthetic: z.boolean(),
    total_count: z.coerce.number(),
  }),
  sql: `
WITH
  mapped AS (
    SELECT subject_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID}
      AND subject_id IN (
        SELECT subject_id FROM customer_subjects WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID})
  ),
  -- A visitor's own id leads to its journey as long as it belongs to nobody.
  subjects AS (
    SELECT subject_id FROM mapped
    UNION DISTINCT
    SELECT {customer:UUID} AS subject_id
    WHERE {customer:UUID} NOT IN (
      SELECT subject_id FROM identity_map FINAL WHERE profile_id = {profile:UUID} AND subject_id = {customer:UUID})
  ),
  found AS (
    SELECT * FROM outcomes FINAL
    WHERE profile_id = {profile:UUID} AND outcome_id IN (
      SELECT outcome_id FROM subject_outcomes
      WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM subjects))
  ),
  payers AS (
    SELECT payment_id, payer_subject_id FROM payment_actions FINAL
    WHERE profile_id = {profile:UUID} AND kind = 'payer' AND payment_id IN (SELECT outcome_id FROM found)
  ),
  -- An assigned payer takes a payment over.
  own_outcomes AS (
    SELECT f.* FROM found AS f LEFT JOIN payers AS p ON p.payment_id = f.outcome_id
    WHERE if(p.payer_subject_id = toUUID('00000000-0000-0000-0000-000000000000'), f.subject_id, p.payer_subject_id)
      IN (SELECT subject_id FROM subjects)
  ),
  synthetic AS (
    SELECT touch_id FROM touches FINAL
    WHERE profile_id = {profile:UUID} AND is_synthetic AND subject_id IN (SELECT subject_id FROM found)
  ),
  named AS (
    SELECT name, external_id FROM ad_entities FINAL WHERE profile_id = {profile:UUID} AND level = 'campaign'
  ),
  ads AS (
    SELECT external_id, campaign_external_id FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = 'ad'
  ),
  events AS (
    SELECT event_id AS id, toString(event_type) AS event_type, event_name, event_time, url, path,
      toString(channel) AS channel, toString(source) AS source, toString(medium) AS medium,
      if(campaign_ref != '', campaign_ref, utm['id']) AS campaign_ref, ad_ref, utm['campaign'] AS tagged,
      CAST(NULL AS Nullable(Int64)) AS amount_minor, '' AS currency, toString(device) AS device,
      toString(browser) AS browser, toString(os) AS os, toString(country) AS country, city, false AS is_synthetic
    FROM hits FINAL
    WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM subjects)
      AND event_type IN ('page_view', 'identify')
    UNION ALL
    SELECT outcome_id, toString(event_type), event_name, occurred_at, url, path, toString(channel),
      if(provider != '', toString(provider), toString(traffic_source)), toString(medium), campaign_ref, ad_ref, '',
      amount_minor, toString(currency), toString(device), toString(browser), toString(os), toString(country), city,
      outcome_id IN (SELECT touch_id FROM synthetic)
    FROM own_outcomes
  )
SELECT event_type, if(event_name = '', event_type, event_name) AS event_name, event_time, url, path, channel, source, medium,
  coalesce(nullIf(n.name, ''), nullIf(m.name, ''), tagged) AS campaign,
  amount_minor, currency, device, browser, os, country, city, is_synthetic,
  count() OVER () AS total_count
FROM events AS e
LEFT JOIN named AS n ON n.external_id = e.campaign_ref
LEFT JOIN ads AS a ON a.external_id = e.ad_ref
LEFT JOIN named AS m ON m.external_id = a.campaign_external_id
ORDER BY event_time, toString(id)
LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
})
