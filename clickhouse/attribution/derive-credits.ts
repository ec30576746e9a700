import { z } from 'zod'
import { statement } from '../query.ts'
import { inSlice, sliceParams } from './slice.ts'

/**
 * The six models in one pass: conversions and touches of a slice's customers → the credit that changed, as a part of
 * its own.
 * Weights are billionths; the remainder of every division goes to the last touch, so a path sums to exactly 1.
 */
export const deriveCredits = statement({
  name: 'derive_credits',
  params: sliceParams.extend({ part: z.uuid() }),
  sql: `
INSERT INTO recompute_credits (
  run_id, profile_id, conversion_id, outcome_id, customer_id, conversion_type, revenue_type, is_eligible, occurred_at, day,
  amount_minor, currency, net_minor, is_first_payment, opens_first_payment, country, device,
  touch_ids, touch_times, channels, sources, directs, synthetics, campaign_ids, ad_set_ids, ad_ids, join_methods,
  last_touch, first_touch, linear, time_decay, last_non_direct, position_based, content_hash, version, is_deleted)
WITH
  toUInt32(1000000000) AS whole,
  toUInt32(0) AS nought,
  paths AS (
    SELECT t.profile_id AS path_profile, s.customer_id AS path_customer,
      arraySort(touch -> (touch.1, UUIDToNum(touch.2)), groupArray((
        toUnixTimestamp64Milli(t.touch_time), t.touch_id, t.channel, t.source, t.is_direct, t.is_synthetic,
        a.campaign_id, a.ad_set_id, a.ad_id, a.join_method))) AS path
    FROM (
      SELECT profile_id, subject_id, touch_id, touch_time, channel, source, is_direct, is_synthetic, reference
      FROM touches FINAL
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE ${inSlice})
    ) AS t
    INNER JOIN (
      SELECT profile_id, subject_id, customer_id FROM recompute_subjects WHERE ${inSlice}
    ) AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
    LEFT JOIN (
      SELECT * FROM recompute_ads WHERE run_id = {run:UUID}
    ) AS a ON a.profile_id = t.profile_id AND a.reference = t.reference
    GROUP BY t.profile_id, s.customer_id
  ),
  -- Touches at or before the conversion, inside the window, at most the 500 latest.
  windowed AS (
    SELECT (c.profile_id, c.conversion_id, c.customer_id, c.at, c.version, c.standing_hash) AS conversion, c.facts AS facts,
      arraySlice(arrayFilter(touch -> touch.1 <= c.at AND touch.1 >= c.since, p.path), -500) AS touches_in,
      -- Weights follow from the path; the number in front changes when their rules do.
      cityHash64(1, facts.1, c.customer_id, facts.2, facts.3, facts.4, c.at, c.since, facts.5,
        toString((facts.6, facts.8, facts.9, facts.10)), facts.7, facts.11, facts.12, touches_in) AS content_hash
    -- Paths stream past the conversions: they are the larger side, and only one side is held in memory.
    FROM paths AS p
    RIGHT JOIN (
      SELECT profile_id, customer_id, conversion_id, at, since, facts, standing_hash, version
      FROM recompute_valued WHERE ${inSlice}
    ) AS c ON c.profile_id = p.path_profile AND c.customer_id = p.path_customer
  ),
  changed AS (
    SELECT conversion, facts, content_hash, touches_in, touches_in.1 AS times, touches_in.5 AS directs
    FROM windowed
    WHERE if(facts.2 != '', conversion.6 != content_hash, conversion.6 != 0)
  ),
  -- Numbers first, then lists out of numbers: what a lambda takes from its row is copied for each element.
  measured AS (
    SELECT *, toInt64(length(times)) AS n, times[-1] AS last_at,
      toInt64(arrayLastIndex(is_direct -> NOT is_direct, directs)) AS last_indirect
    FROM changed
  ),
  decayed AS (
    SELECT *, arrayMap(at -> toUInt64(round(exp2((at - last_at) / 604800000) * 1000000000)), times) AS decays,
      greatest(arraySum(decays), 1) AS decay_sum,
      toUInt32(intDiv(1000000000, greatest(n, 1))) AS share, toUInt32(intDiv(200000000, greatest(n, 3) - 2)) AS middle
    FROM measured
  ),
  shared AS (
    SELECT *, arrayPopBack(arrayMap(decay -> toUInt32(intDiv(decay * 1000000000, decay_sum)), decays)) AS decay_parts
    FROM decayed
  ),
  -- A list of length n that is all one number but for its end: stretched to the right, or, by a negative length, to the left.
  credited AS (
    SELECT *,
      (arrayResize([whole], -n, nought),
        arrayResize([whole], n, nought),
        arrayResize([toUInt32(whole - share * (n - 1))], -n, share),
        arrayResize(decay_parts, n, toUInt32(whole - arraySum(decay_parts))),
        arrayResize(arrayResize([whole], if(last_indirect > 0, -last_indirect, -n), nought), n, nought),
        arrayResize(
          arrayResize([toUInt32(if(n = 2, 500000000, 400000000))], n - 1, middle), n,
          toUInt32(multiIf(n = 1, 1000000000, n = 2, 500000000, 600000000 - middle * (n - 2))))
      ) AS weights
    FROM shared
  )
SELECT {part:UUID}, conversion.1, conversion.2, facts.1, conversion.3, facts.2, facts.3, facts.4,
  fromUnixTimestamp64Milli(conversion.4, 'UTC'), facts.5, facts.6, facts.7, facts.8, facts.9, facts.10, facts.11, facts.12,
  touches_in.2, arrayMap(at -> fromUnixTimestamp64Milli(at, 'UTC'), times), touches_in.3, touches_in.4, directs,
  touches_in.6, touches_in.7, touches_in.8, touches_in.9, touches_in.10,
  weights.1, weights.2, weights.3, weights.4, weights.5, weights.6, content_hash, conversion.5, facts.2 = ''
FROM credited
-- A customer's path stands beside each of its conversions: thousands of both would not fit into memory at once.
SETTINGS joined_block_split_single_row = 1`,
})
