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
  amount_minor, currency, net_minor, is_first_payment, opens_first_payment, country, device,
  touch_ids, touch_times, channels, sources, directs, synthetics, campaign_ids, ad_set_ids, ad_ids, join_methods,
  last_touch, first_touch, linear, time_decay, last_non_direct, position_based, content_hash, version, is_deleted)
WITH
  toInt64(1000000000) AS whole,
  toUUID('00000000-0000-0000-0000-000000000000') AS nobody,
  subjects AS (
    SELECT profile_id, subject_id, customer_id, version FROM recompute_subjects WHERE run_id = {run:UUID}
  ),
  -- What touches say about their ads: few ways of saying it among many touches, so each is looked up once.
  said AS (
    SELECT profile_id, reference, any(ad_ref) AS ad_ref, any(ad_set_ref) AS ad_set_ref, any(campaign_ref) AS campaign_ref,
      any(utm['content']) AS content, any(utm['term']) AS term, any(utm['id']) AS id, any(utm['campaign']) AS campaign
    FROM touches
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM subjects) AND reference != 0
    GROUP BY profile_id, reference
  ),
  named AS (
    SELECT profile_id, reference, naming.1 AS rank, naming.2 AS kind, naming.3 AS value
    FROM said
    -- Strongest first.
    ARRAY JOIN [
      (1, 'ad', ad_ref), (2, 'ad_set', ad_set_ref), (3, 'campaign', campaign_ref),
      (4, 'ad', content), (5, 'ad_set', term), (6, 'campaign', id),
      (7, 'campaign_name', campaign)] AS naming
    WHERE value != ''
  ),
  entities AS (
    SELECT profile_id, kind, value, any(campaign_id) AS campaign_id, any(ad_set_id) AS ad_set_id, any(ad_id) AS ad_id
    FROM (
      SELECT profile_id, name.1 AS kind, name.2 AS value, campaign_id, ad_set_id,
        if(level = 'ad', entity_id, nobody) AS ad_id, entity_id
      FROM (
        SELECT * FROM ad_entities FINAL WHERE profile_id IN (SELECT profile_id FROM subjects)
      )
      ARRAY JOIN arrayFilter(pair -> pair.2 != '',
        [(toString(level), external_id), ('campaign_name', if(level = 'campaign', name, ''))]) AS name
    )
    GROUP BY profile_id, kind, value
    HAVING uniqExact(entity_id) = 1
  ),
  joined AS (
    SELECT n.profile_id AS profile_id, n.reference AS reference,
      argMin((e.campaign_id, e.ad_set_id, e.ad_id,
        ['service_ad_id', 'service_ad_set_id', 'service_campaign_id', 'utm_ad_id', 'utm_ad_set_id', 'utm_campaign_id',
         'campaign_name'][n.rank]), n.rank) AS entity
    FROM named AS n
    INNER JOIN entities AS e ON e.profile_id = n.profile_id AND e.kind = n.kind AND e.value = n.value
    GROUP BY profile_id, reference
  ),
  own_touches AS (
    SELECT t.profile_id AS profile_id, s.customer_id AS customer_id, t.reference AS reference, t.touch_id AS touch_id,
      t.touch_time AS touch_time, t.channel AS channel, t.source AS source, t.is_direct AS is_direct,
      t.is_synthetic AS is_synthetic
    FROM (
      SELECT profile_id, subject_id, touch_id, touch_time, channel, source, is_direct, is_synthetic, reference
      FROM touches FINAL
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM subjects)
    ) AS t
    INNER JOIN subjects AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
  ),
  paths AS (
    SELECT t.profile_id AS profile_id, t.customer_id AS customer_id,
      arraySort(touch -> (touch.1, toString(touch.2)), groupArray((
        toUnixTimestamp64Milli(t.touch_time), t.touch_id, t.channel, t.source, t.is_direct, t.is_synthetic,
        j.entity.1, j.entity.2, j.entity.3, j.entity.4))) AS path
    FROM own_touches AS t
    LEFT JOIN joined AS j ON j.profile_id = t.profile_id AND j.reference = t.reference
    GROUP BY profile_id, customer_id
  ),
  conversions AS (SELECT * FROM recompute_conversions WHERE run_id = {run:UUID}),
  -- First payments, in the words of domain/first-payments.ts: refs in order of time, the zero id for an untagged one.
  -- Step by step, here and below: an alias used in its own SELECT is copied into every use, and analysis explodes.
  payments AS (
    SELECT profile_id, arraySort(payment -> (payment.1, toString(payment.2)),
      groupArray((at, outcome_id, subject_ref, is_installment))) AS paid
    FROM conversions WHERE revenue_type = 'cash' GROUP BY profile_id, customer_id
  ),
  subject_firsts AS (
    SELECT *, indexOf(refs, nobody) AS first_untagged, arrayFirstIndex(ref -> ref != nobody, refs) AS first_tagged,
      arrayMap(ref -> indexOf(refs, ref), refs) AS first_of_ref
    FROM (SELECT *, arrayMap(payment -> payment.3, paid) AS refs, arrayEnumerate(paid) AS positions FROM payments)
  ),
  openings AS (
    SELECT *, arrayMap((payment, first, i) -> NOT payment.4 AND if(payment.3 = nobody, i = 1,
      first = i AND (first_untagged = 0 OR first_untagged > i)), paid, first_of_ref, positions) AS openers
    FROM subject_firsts
  ),
  first_payments AS (
    SELECT profile_id, flag.1 AS outcome_id, flag.2 AS is_first, flag.3 AS opens
    FROM openings
    ARRAY JOIN arrayMap((payment, first, i) -> (payment.2,
      NOT payment.4 AND (openers[i] OR (openers[first] AND payment.1 - paid[first].1 <= 604800000
        AND (payment.3 != nobody OR first_tagged = 0 OR first_tagged > i))),
      openers[i]), paid, first_of_ref, positions) AS flag
  ),
  flagged AS (
    SELECT c.*, if(c.revenue_type = 'cash', f.is_first, NULL) AS is_first_payment, f.opens AS opens_first_payment
    FROM conversions AS c
    LEFT JOIN first_payments AS f ON f.profile_id = c.profile_id AND f.outcome_id = c.outcome_id
  ),
  -- Touches at or before the conversion, inside the window, at most the 500 latest.
  windowed AS (
    SELECT c.*, arraySlice(arrayFilter(touch -> touch.1 <= c.at AND touch.1 >= c.since, p.path), -500) AS touches_in
    FROM flagged AS c
    LEFT JOIN paths AS p ON p.profile_id = c.profile_id AND p.customer_id = c.customer_id
  ),
  measured AS (
    SELECT *, toInt64(length(touches_in)) AS n, greatest(n, 1) AS parts, arrayEnumerate(touches_in) AS positions,
      arrayLastIndex(touch -> NOT touch.5, touches_in) AS last_indirect
    FROM windowed
  ),
  decayed AS (
    SELECT *, arrayMap(touch -> toInt64(round(exp2((touch.1 - touches_in[n].1) / 604800000) * 1000000000)), touches_in) AS decays,
      intDiv(toInt64(200000000), greatest(n - 2, 1)) AS middle
    FROM measured
  ),
  shared AS (
    SELECT *, arrayMap(decay -> intDiv(decay * whole, decay_sum), decays) AS decay_parts
    FROM (SELECT *, greatest(arraySum(decays), toInt64(1)) AS decay_sum FROM decayed)
  ),
  credited AS (
    SELECT *, fromUnixTimestamp64Milli(at, 'UTC') AS occurred_at,
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
        arrayMap(i -> if(i = n, whole, toInt64(0)), positions),
        arrayMap(i -> if(i = 1, whole, toInt64(0)), positions),
        arrayMap(i -> intDiv(whole, parts) + if(i = n, whole % parts, toInt64(0)), positions),
        arrayMap((part, i) -> part + if(i = n, whole - arraySum(decay_parts), toInt64(0)), decay_parts, positions),
        arrayMap(i -> if(i = if(last_indirect = 0, n, toInt64(last_indirect)), whole, toInt64(0)), positions),
        arrayMap(i -> multiIf(
          n = 1, whole,
          n = 2, toInt64(500000000),
          i = 1, toInt64(400000000),
          i = n, whole - 400000000 - middle * (n - 2),
          middle), positions)) AS weights
    FROM shared
  ),
  hashed AS (
    SELECT *,
      conversion_type != '' AS is_counted,
      -- Weights follow from the path; the number in front changes when their rules do.
      cityHash64(1, outcome_id, customer_id, conversion_type, revenue_type, is_eligible, at, since, day,
        toString(tuple(amount_minor, net_minor, is_first_payment, opens_first_payment)), currency, country, device,
        touches_in) AS content_hash
    FROM credited
  ),
  standing AS (
    SELECT profile_id, conversion_id, content_hash FROM credits FINAL
    WHERE (profile_id, conversion_id) IN (SELECT profile_id, conversion_id FROM conversions)
  )
SELECT {run:UUID}, h.profile_id, h.conversion_id, h.outcome_id, h.customer_id, h.conversion_type, h.revenue_type,
  h.is_eligible, h.occurred_at, h.day, h.amount_minor, h.currency, h.net_minor, h.is_first_payment,
  h.opens_first_payment, h.country, h.device,
  h.columns.1, h.columns.2, h.columns.3, h.columns.4, h.columns.5, h.columns.6, h.columns.7, h.columns.8, h.columns.9,
  h.columns.10, h.weights.1, h.weights.2, h.weights.3, h.weights.4, h.weights.5, h.weights.6,
  h.content_hash, h.version, NOT h.is_counted
FROM hashed AS h
LEFT JOIN standing AS s ON s.profile_id = h.profile_id AND s.conversion_id = h.conversion_id
WHERE if(h.is_counted, s.content_hash != h.content_hash, s.content_hash != 0)`,
})
