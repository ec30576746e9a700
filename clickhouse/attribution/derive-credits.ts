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
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE run_id = {run:UUID})
    ) AS t
    INNER JOIN (
      SELECT profile_id, subject_id, customer_id FROM recompute_subjects WHERE run_id = {run:UUID}
    ) AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
    LEFT JOIN (
      SELECT * FROM recompute_ads WHERE run_id = {run:UUID}
    ) AS a ON a.profile_id = t.profile_id AND a.reference = t.reference
    GROUP BY t.profile_id, s.customer_id
  ),
  -- The rate of the day, or the newest of the seven days before; without one the amount stays out of money sums.
  valued AS (
    SELECT c.* EXCEPT (net_minor), multiIf(
      c.currency = c.reporting_currency, c.kept_minor,
      x.minor_rate > 0 AND c.day - x.date <= 7,
        toInt64(intDiv(toInt128(c.kept_minor) * x.minor_rate + 500000000000, toInt128(1000000000000))),
      NULL) AS net_minor
    FROM (SELECT * FROM recompute_conversions WHERE run_id = {run:UUID}) AS c
    ASOF LEFT JOIN (
      SELECT base, quote, date, minor_rate FROM fx_rates FINAL
      WHERE (base, quote) IN (
        SELECT currency, reporting_currency FROM recompute_conversions
        WHERE run_id = {run:UUID} AND currency != reporting_currency)
    ) AS x ON x.base = c.currency AND x.quote = c.reporting_currency AND c.day >= x.date
  ),
  flagged AS (
    SELECT c.*, if(c.revenue_type = 'cash' AND c.amount_minor > 0, f.is_first_payment, NULL) AS is_first_payment,
      f.opens_first_payment AS opens_first_payment
    FROM valued AS c
    LEFT JOIN (
      SELECT profile_id, outcome_id, is_first_payment, opens_first_payment FROM recompute_first_payments
      WHERE run_id = {run:UUID}
    ) AS f ON f.profile_id = c.profile_id AND f.outcome_id = c.outcome_id
  ),
  -- Touches at or before the conversion, inside the window, at most the 500 latest.
  windowed AS (
    SELECT c.*, arraySlice(arrayFilter(touch -> touch.1 <= c.at AND touch.1 >= c.since, p.path), -500) AS touches_in
    -- Paths stream past the conversions: they are the larger side, and only one side is held in memory.
    FROM paths AS p
    RIGHT JOIN flagged AS c ON c.profile_id = p.path_profile AND c.customer_id = p.path_customer
  ),
  -- Numbers first, then lists out of numbers: what a lambda takes from its row is copied for each element.
  measured AS (
    SELECT *, length(touches_in) AS n, toUInt64(notEmpty(touches_in)) AS one, touches_in[-1].1 AS last_at,
      toUInt64(arrayLastIndex(is_direct -> NOT is_direct, touches_in.5)) AS last_indirect
    FROM windowed
  ),
  decayed AS (
    SELECT *, if(last_indirect > 0, last_indirect, n) - one AS before, n - least(n, 2) AS between,
      toUInt32(intDiv(1000000000, greatest(n, 1))) AS share, toUInt32(intDiv(200000000, greatest(n, 3) - 2)) AS middle,
      arrayMap(at -> toUInt64(round(exp2((at - last_at) / 604800000) * 1000000000)), touches_in.1) AS decays
    FROM measured
  ),
  summed AS (
    SELECT *, greatest(arraySum(decays), 1) AS decay_sum FROM decayed
  ),
  shared AS (
    SELECT *, arrayPopBack(arrayMap(decay -> toUInt32(intDiv(decay * 1000000000, decay_sum)), decays)) AS decay_parts
    FROM summed
  ),
  credited AS (
    SELECT *, fromUnixTimestamp64Milli(at, 'UTC') AS occurred_at,
      tuple(
        arrayConcat(arrayWithConstant(n - one, nought), arrayWithConstant(one, whole)),
        arrayConcat(arrayWithConstant(one, whole), arrayWithConstant(n - one, nought)),
        arrayConcat(arrayWithConstant(n - one, share), arrayWithConstant(one, toUInt32(whole - share * (n - one)))),
        arrayConcat(decay_parts, arrayWithConstant(one, toUInt32(whole - arraySum(decay_parts)))),
        arrayConcat(arrayWithConstant(before, nought), arrayWithConstant(one, whole),
          arrayWithConstant(n - before - one, nought)),
        arrayConcat(
          arrayWithConstant(one, toUInt32(multiIf(n = 1, 1000000000, n = 2, 500000000, 400000000))),
          arrayWithConstant(between, middle),
          arrayWithConstant(n - one - between, toUInt32(if(n = 2, 500000000, 600000000 - middle * between))))
      ) AS weights
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
    WHERE (profile_id, conversion_id) IN (SELECT profile_id, conversion_id FROM recompute_conversions WHERE run_id = {run:UUID})
  )
SELECT {run:UUID}, h.profile_id, h.conversion_id, h.outcome_id, h.customer_id, h.conversion_type, h.revenue_type,
  h.is_eligible, h.occurred_at, h.day, h.amount_minor, h.currency, h.net_minor, h.is_first_payment,
  h.opens_first_payment, h.country, h.device,
  h.touches_in.2, arrayMap(at -> fromUnixTimestamp64Milli(at, 'UTC'), h.touches_in.1), h.touches_in.3, h.touches_in.4,
  h.touches_in.5, h.touches_in.6, h.touches_in.7, h.touches_in.8, h.touches_in.9, h.touches_in.10, h.weights.1, h.weights.2, h.weights.3, h.weights.4, h.weights.5, h.weights.6,
  h.content_hash, h.version, NOT h.is_counted
FROM hashed AS h
LEFT JOIN standing AS s ON s.profile_id = h.profile_id AND s.conversion_id = h.conversion_id
WHERE if(h.is_counted, s.content_hash != h.content_hash, s.content_hash != 0)`,
})
