import { z } from 'zod'
import { statement } from '../query.ts'
import { inSlice, sliceParams } from './slice.ts'

/** Of a conversion's path only the latest touches count, and so many of them. */
const longestPath = 500

const params = sliceParams.extend({ part: z.uuid(), crowded: z.array(z.uuid()) })

/** A touch as credit shows it, by time and then by id. */
const touch = `(toUnixTimestamp64Milli(t.touch_time), t.touch_id, t.channel, t.source, t.is_direct, t.is_synthetic,
        a.campaign_id, a.ad_set_id, a.ad_id, a.join_method)`
const inOrder = (touches: string) => `arraySort(touch -> (touch.1, UUIDToNum(touch.2)), ${touches})`

const touchesOf = (customers: string) => `(
      SELECT profile_id, subject_id, touch_id, touch_time, channel, source, is_direct, is_synthetic, reference
      FROM touches FINAL
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE ${customers})
    ) AS t
    INNER JOIN (
      SELECT profile_id, subject_id, customer_id FROM recompute_subjects WHERE ${customers}
    ) AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
    LEFT JOIN (
      SELECT * FROM recompute_ads WHERE run_id = {run:UUID}
    ) AS a ON a.profile_id = t.profile_id AND a.reference = t.reference`

const conversionsOf = (customers: string) => `
      SELECT profile_id, customer_id, conversion_id, at, since, facts, standing_hash, version
      FROM recompute_valued WHERE ${customers}`

interface Paths {
  /** Each customer's touches, as `path`. */
  paths: string
  conversions: string
  /** Which path is a conversion's. */
  on: string
}

/**
 * The six models in one pass: conversions and touches of a slice's customers → the credit that changed, as a part of
 * its own.
 * Weights are billionths; the remainder of every division goes to the last touch, so a path sums to exactly 1.
 */
const creditSql = ({ paths, conversions, on }: Paths) => `
INSERT INTO recompute_credits (
  run_id, profile_id, conversion_id, outcome_id, customer_id, conversion_type, revenue_type, is_eligible, occurred_at, day,
  amount_minor, currency, net_minor, is_first_payment, opens_first_payment, country, device,
  touch_ids, touch_times, channels, sources, directs, synthetics, campaign_ids, ad_set_ids, ad_ids, join_methods,
  last_touch, first_touch, linear, time_decay, last_non_direct, position_based, content_hash, version, is_deleted)
WITH
  toUInt32(1000000000) AS whole,
  toUInt32(0) AS nought,
  ${paths},
  -- Touches at or before the conversion, inside the window; of more than a path can hold the latest.
  windowed AS (
    SELECT (c.profile_id, c.conversion_id, c.customer_id, c.at, c.version, c.standing_hash) AS conversion, c.facts AS facts,
      arraySlice(arrayFilter(touch -> touch.1 <= c.at AND touch.1 >= c.since, p.path), -${longestPath}) AS touches_in,
      -- Weights follow from the path; the number in front changes when their rules do.
      cityHash64(1, facts.1, c.customer_id, facts.2, facts.3, facts.4, c.at, c.since, facts.5,
        toString((facts.6, facts.8, facts.9, facts.10)), facts.7, facts.11, facts.12, touches_in) AS content_hash
    -- Paths stream past the conversions: they are the larger side, and only one side is held in memory.
    FROM paths AS p
    RIGHT JOIN (${conversions}
    ) AS c ON c.profile_id = p.path_profile AND c.customer_id = p.path_customer${on}
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
SETTINGS joined_block_split_single_row = 1`

const uncrowded = `${inSlice} AND customer_id NOT IN {crowded:Array(UUID)}`

export const deriveCredits = statement({
  name: 'derive_credits',
  params,
  sql: creditSql({
    paths: `paths AS (
    SELECT t.profile_id AS path_profile, s.customer_id AS path_customer, ${inOrder(`groupArray(${touch})`)} AS path
    FROM ${touchesOf(uncrowded)}
    GROUP BY t.profile_id, s.customer_id
  )`,
    conversions: conversionsOf(uncrowded),
    on: '',
  }),
})

const crowded = `${inSlice} AND customer_id IN {crowded:Array(UUID)}`

/**
 * The same for customers with so many touches and conversions that a whole path beside each conversion would cost their
 * product. Touches are cut into blocks as long as the longest path, in their order; a conversion's path ends in the last
 * block that begins at or before it, and reaches at most into the one before.
 */
export const deriveCrowdedCredits = statement({
  name: 'derive_crowded_credits',
  params,
  sql: creditSql({
    paths: `placed AS (
    SELECT t.profile_id AS path_profile, s.customer_id AS path_customer, ${touch} AS touch,
      row_number() OVER (PARTITION BY path_profile, path_customer ORDER BY touch.1, UUIDToNum(touch.2)) - 1 AS place,
      intDiv(place, ${longestPath}) + 1 AS block
    FROM ${touchesOf(crowded)}
  ),
  beginnings AS (
    SELECT path_profile, path_customer, arraySort(groupArray(touch.1)) AS times
    FROM placed WHERE place % ${longestPath} = 0 GROUP BY path_profile, path_customer
  ),
  paths AS (
    SELECT path_profile, path_customer, path_block, ${inOrder('groupArray(touch)')} AS path
    FROM placed ARRAY JOIN [block, block + 1] AS path_block
    GROUP BY path_profile, path_customer, path_block
  )`,
    conversions: `
      SELECT v.*, arrayLastIndex(time -> time <= v.at, b.times) AS block
      FROM (${conversionsOf(crowded)}) AS v
      LEFT JOIN beginnings AS b ON b.path_profile = v.profile_id AND b.path_customer = v.customer_id`,
    on: ' AND c.block = p.path_block',
  }),
})
