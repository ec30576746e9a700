import { z } from 'zod'
import { statement } from '../query.ts'

/**
 * The six models in one pass: outcomes and touches of the run's customers → the credit that changed.
 * Weights are billionths; the remainder of every division goes to the last touch, so a path sums to exactly 1.
 */
export const deriveCredits = statement({
  name: 'derive_credits',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO recompute_credits (
  run_id, profile_id, conversion_id, outcome_id, customer_id, conversion_type, revenue_type, is_eligible, occurred_at, day,
  amount_minor, currency, net_minor, country, device,
  touch_ids, touch_times, channels, sources, directs, synthetics, campaign_ids, ad_set_ids, ad_ids, join_methods,
  last_touch, first_touch, linear, time_decay, last_non_direct, position_based, content_hash, version, is_deleted)
WITH
  toUInt64(1000000000) AS whole,
  toUUID('00000000-0000-0000-0000-000000000000') AS nobody,
  subjects AS (
    SELECT profile_id, subject_id, customer_id, version FROM recompute_subjects WHERE run_id = {run:UUID}
  ),
  own_touches AS (
    SELECT t.profile_id AS profile_id, s.customer_id AS customer_id, t.subject_id AS subject_id, t.touch_id AS touch_id,
      t.touch_time AS touch_time, t.channel AS channel, t.source AS source, t.is_direct AS is_direct,
      t.is_synthetic AS is_synthetic, t.campaign_ref AS campaign_ref, t.ad_set_ref AS ad_set_ref, t.ad_ref AS ad_ref,
      t.utm AS utm
    FROM (
      SELECT * FROM touches FINAL
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM subjects)
    ) AS t
    INNER JOIN subjects AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
  ),
  -- What each touch says about its ad, strongest first.
  named AS (
    SELECT profile_id, subject_id, touch_id, reference.1 AS rank, reference.2 AS kind, reference.3 AS value
    FROM own_touches
    ARRAY JOIN [
      (1, 'ad', ad_ref), (2, 'ad_set', ad_set_ref), (3, 'campaign', campaign_ref),
      (4, 'ad', utm['content']), (5, 'ad_set', utm['term']), (6, 'campaign', utm['id']),
      (7, 'campaign_name', utm['campaign'])] AS reference
    WHERE value != ''
  ),
  entities AS (
    SELECT profile_id, kind, value, any(campaign_id) AS campaign_id, any(ad_set_id) AS ad_set_id, any(ad_id) AS ad_id
    FROM (
      SELECT profile_id, name.1 AS kind, name.2 AS value, campaign_id, ad_set_id,
        if(level = 'ad', entity_id, nobody) AS ad_id, entity_id
      FROM (
        SELECT * FROM ad_entities FINAL WHERE profile_id IN (SELECT profile_id FROM named)
      )
      ARRAY JOIN arrayFilter(pair -> pair.2 != '',
        [(toString(level), external_id), ('campaign_name', if(level = 'campaign', name, ''))]) AS name
    )
    WHERE (profile_id, kind, value) IN (SELECT profile_id, kind, value FROM named)
    GROUP BY profile_id, kind, value
    HAVING uniqExact(entity_id) = 1
  ),
  joined AS (
    SELECT n.profile_id AS profile_id, n.subject_id AS subject_id, n.touch_id AS touch_id,
      argMin((e.campaign_id, e.ad_set_id, e.ad_id,
        ['service_ad_id', 'service_ad_set_id', 'service_campaign_id', 'utm_ad_id', 'utm_ad_set_id', 'utm_campaign_id',
         'campaign_name'][n.rank]), n.rank) AS entity
    FROM named AS n
    INNER JOIN entities AS e ON e.profile_id = n.profile_id AND e.kind = n.kind AND e.value = n.value
    GROUP BY profile_id, subject_id, touch_id
  ),
  paths AS (
    SELECT t.profile_id AS profile_id, t.customer_id AS customer_id,
      arraySort(touch -> (touch.1, toString(touch.2)), groupArray((
        toUnixTimestamp64Milli(t.touch_time), t.touch_id, t.channel, t.source, t.is_direct, t.is_synthetic,
        j.entity.1, j.entity.2, j.entity.3, j.entity.4))) AS path
    FROM own_touches AS t
    LEFT JOIN joined AS j ON j.profile_id = t.profile_id AND j.subject_id = t.subject_id AND j.touch_id = t.touch_id
    GROUP BY profile_id, customer_id
  ),
  definitions AS (
    SELECT profile_id, event_type, conversion_key, revenue_type, is_attribution_eligible, lookback_window_days
    FROM conversion_definitions FINAL
    ARRAY JOIN event_types AS event_type
    WHERE profile_id IN (SELECT profile_id FROM subjects)
    ORDER BY definition_id
    LIMIT 1 BY profile_id, event_type
  ),
  conversions AS (
    SELECT o.profile_id AS profile_id, o.conversion_id AS conversion_id, o.outcome_id AS outcome_id,
      s.customer_id AS customer_id, s.version AS version, d.conversion_key AS conversion_type,
      d.revenue_type AS revenue_type, d.is_attribution_eligible AS is_eligible, o.occurred_at AS occurred_at,
      toDate(formatDateTime(o.occurred_at, '%F', if(p.timezone = '', 'UTC', p.timezone))) AS day,
      o.amount_minor AS amount_minor, o.currency AS currency,
      if(o.currency = p.reporting_currency, o.amount_minor - least(o.refunded_minor, o.amount_minor), NULL) AS net_minor,
      o.country AS country, o.device AS device,
      toUnixTimestamp64Milli(o.occurred_at) AS at,
      if(d.is_attribution_eligible, at - toInt64(d.lookback_window_days) * 86400000, at + 1) AS since
    FROM (
      SELECT * FROM outcomes FINAL
      WHERE (profile_id, outcome_id) IN (
        SELECT profile_id, outcome_id FROM subject_outcomes
        WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM subjects))
    ) AS o
    INNER JOIN subjects AS s ON s.profile_id = o.profile_id AND s.subject_id = o.subject_id
    LEFT JOIN definitions AS d ON d.profile_id = o.profile_id AND d.event_type = o.event_type
    LEFT JOIN (SELECT * FROM profiles FINAL) AS p ON p.profile_id = o.profile_id
  ),
  credited AS (
    SELECT c.*,
      -- At or before the conversion, inside the window, at most the 500 latest.
      arraySlice(arrayFilter(touch -> touch.1 <= c.at AND touch.1 >= c.since, p.path), -500) AS touches_in,
      length(touches_in) AS n,
      arrayMap(touch -> toUInt64(round(exp2((touch.1 - touches_in[n].1) / 604800000) * 1000000000)), touches_in) AS decays,
      arraySum(decays) AS decay_sum,
      arrayMap(decay -> intDiv(decay * whole, greatest(decay_sum, 1)), decays) AS decay_parts,
      if(n > 2, intDiv(200000000, greatest(toInt64(n) - 2, 1)), 0) AS middle,
      arrayLastIndex(touch -> NOT touch.5, touches_in) AS last_indirect,
      if(last_indirect = 0, n, last_indirect) AS lnd,
      arrayEnumerate(touches_in) AS positions,
      tuple(
        arrayMap(touch -> touch.2, touches_in),
        arrayMap(touch -> fromUnixTimestamp64Milli(touch.1, 'UTC'), touches_in),
        arrayMap(touch -> touch.3, touches_in),
        arrayMap(touch -> touch.4, touches_in),
        arrayMap(touch -> touch.5, touches_in),
        arrayMap(touch -> touch.6, touches_in),
        arrayMap(touch -> touch.7, touches_in),
        arrayMap(touch -> touch.8, touches_in),
        arrayMap(touch -> touch.9, touches_in),
        arrayMap(touch -> touch.10, touches_in)) AS columns,
      tuple(
        arrayMap(i -> if(i = n, whole, 0), positions),
        arrayMap(i -> if(i = 1, whole, 0), positions),
        arrayMap(i -> intDiv(whole, greatest(n, 1)) + if(i = n, whole % greatest(n, 1), 0), positions),
        arrayMap((part, i) -> part + if(i = n, whole - arraySum(decay_parts), 0), decay_parts, positions),
        arrayMap(i -> if(i = lnd, whole, 0), positions),
        arrayMap(i -> multiIf(
          n = 1, whole,
          n = 2, 500000000,
          i = 1, 400000000,
          i = n, whole - 400000000 - middle * (n - 2),
          middle), positions)) AS weights
    FROM conversions AS c
    LEFT JOIN paths AS p ON p.profile_id = c.profile_id AND p.customer_id = c.customer_id
  ),
  hashed AS (
    SELECT *,
      conversion_type != '' AS is_counted,
      cityHash64(outcome_id, customer_id, conversion_type, revenue_type, is_eligible, occurred_at, day,
        toString(tuple(amount_minor, net_minor)), currency, country, device, toString(columns), toString(weights)) AS content_hash
    FROM credited
  ),
  standing AS (
    SELECT profile_id, conversion_id, content_hash FROM credits FINAL
    WHERE (profile_id, conversion_id) IN (SELECT profile_id, conversion_id FROM conversions)
  )
SELECT {run:UUID}, h.profile_id, h.conversion_id, h.outcome_id, h.customer_id, h.conversion_type, h.revenue_type,
  h.is_eligible, h.occurred_at, h.day, h.amount_minor, h.currency, h.net_minor, h.country, h.device,
  h.columns.1, h.columns.2, h.columns.3, h.columns.4, h.columns.5, h.columns.6, h.columns.7, h.columns.8, h.columns.9,
  h.columns.10, h.weights.1, h.weights.2, h.weights.3, h.weights.4, h.weights.5, h.weights.6,
  h.content_hash, h.version, NOT h.is_counted
FROM hashed AS h
LEFT JOIN standing AS s ON s.profile_id = h.profile_id AND s.conversion_id = h.conversion_id
WHERE if(h.is_counted, s.content_hash != h.content_hash, s.content_hash != 0)`,
})
