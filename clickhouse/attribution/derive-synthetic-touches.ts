import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'
import { outcomesInForce } from './outcomes-in-force.ts'
import { inSlice, sliceParams } from './slice.ts'

/**
 * An outcome outside the site that names its ad gets a touch of its own at its own time, unless the customer came by
 * that ad within the 30 minutes before. It goes with the payment to an assigned payer. The visit may be on any of the
 * customer's devices, so whole customers are looked at; what no longer comes out gets a tombstone.
 */
export const deriveSyntheticTouches = statement({
  name: 'derive_synthetic_touches',
  params: sliceParams,
  sql: `
INSERT INTO touches
WITH
  ${nobody} AS nobody,
  subjects AS (
    SELECT profile_id, subject_id, customer_id, version FROM recompute_subjects WHERE ${inSlice}
  ),
  candidates AS (
    SELECT profile_id, outcome_id FROM named_outcomes
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM subjects)
  ),
  payers AS (
    SELECT profile_id, payment_id, payer_subject_id FROM payment_actions FINAL
    WHERE kind = 'payer' AND payer_subject_id != nobody AND (profile_id, payment_id) IN (SELECT * FROM candidates)
  ),
  named AS (
    SELECT o.profile_id AS profile_id, if(p.payer_subject_id = nobody, o.subject_id, p.payer_subject_id) AS subject_id,
      s.customer_id AS customer_id, o.outcome_id AS touch_id,
      o.occurred_at AS touch_time, o.channel AS channel, o.traffic_source AS source, o.medium AS medium,
      o.click_id_kind AS click_id_kind, o.campaign_ref AS campaign_ref, o.ad_set_ref AS ad_set_ref, o.ad_ref AS ad_ref,
      o.country AS country
    FROM (${outcomesInForce({
      outcomes: `(profile_id, outcome_id) IN (SELECT * FROM candidates)
        AND source != 'tracker' AND action_source != 'website' AND (ad_ref != '' OR ad_set_ref != '' OR campaign_ref != '')`,
      stages: 'profile_id IN (SELECT profile_id FROM subjects)',
    })}
    ) AS o
    LEFT JOIN payers AS p ON p.profile_id = o.profile_id AND p.payment_id = o.outcome_id
    INNER JOIN subjects AS s ON s.profile_id = o.profile_id
      AND s.subject_id = if(p.payer_subject_id = nobody, o.subject_id, p.payer_subject_id)
    -- A deal in a stage that counts as nothing is no outcome yet.
    WHERE o.event_type != ''
  ),
  visits AS (
    SELECT s.profile_id AS profile_id, s.customer_id AS customer_id, t.touch_time AS touch_time, reference
    FROM (
      SELECT * FROM touches FINAL
      WHERE (profile_id, subject_id) IN (
        SELECT profile_id, subject_id FROM subjects
        WHERE (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM named))
        AND NOT is_synthetic
    ) AS t
    INNER JOIN subjects AS s ON s.profile_id = t.profile_id AND s.subject_id = t.subject_id
    ARRAY JOIN arrayFilter(x -> x != '',
      [t.ad_ref, t.utm['content'], t.ad_set_ref, t.utm['term'], t.campaign_ref, t.utm['id']]) AS reference
  ),
  seen AS (
    SELECT DISTINCT n.profile_id AS profile_id, n.touch_id AS touch_id
    FROM named AS n INNER JOIN visits AS v ON v.profile_id = n.profile_id AND v.customer_id = n.customer_id
      AND v.reference = multiIf(n.ad_ref != '', n.ad_ref, n.ad_set_ref != '', n.ad_set_ref, n.campaign_ref)
    WHERE v.touch_time <= n.touch_time AND v.touch_time >= n.touch_time - INTERVAL 30 MINUTE
  ),
  derived AS (
    SELECT n.*, cityHash64(n.touch_time, n.channel, n.source, n.medium, n.click_id_kind, n.campaign_ref, n.ad_set_ref,
      n.ad_ref, n.country, 'synthetic') AS content_hash
    FROM named AS n LEFT ANTI JOIN seen AS s ON s.profile_id = n.profile_id AND s.touch_id = n.touch_id
  ),
  standing AS (
    SELECT * FROM touches FINAL
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM subjects) AND is_synthetic
  )
SELECT
  d.profile_id, d.subject_id, d.touch_id, d.touch_time, d.channel, d.source, d.medium, false, true,
  d.click_id_kind, d.campaign_ref, d.ad_set_ref, d.ad_ref, map(), '', '', '', d.country, d.content_hash, v.version, 0
FROM derived AS d
INNER JOIN subjects AS v ON v.profile_id = d.profile_id AND v.subject_id = d.subject_id
LEFT JOIN standing AS s ON s.profile_id = d.profile_id AND s.subject_id = d.subject_id AND s.touch_id = d.touch_id
WHERE s.content_hash != d.content_hash
UNION ALL
SELECT s.* EXCEPT (version, is_deleted), v.version, 1
FROM standing AS s
INNER JOIN subjects AS v ON v.profile_id = s.profile_id AND v.subject_id = s.subject_id
LEFT ANTI JOIN derived AS d ON d.profile_id = s.profile_id AND d.subject_id = s.subject_id AND d.touch_id = s.touch_id`,
})
