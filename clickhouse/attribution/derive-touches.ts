import { z } from 'zod'
import { statement } from '../query.ts'

/**
 * Hits of the dirty subjects → the touches they start. A session ends after 30 minutes without a hit,
 * or when a hit comes by something else than the session did. What no longer comes out gets a tombstone.
 */
export const deriveTouches = statement({
  name: 'derive_touches',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO touches
WITH
  dirty AS (
    SELECT profile_id, subject_id, version FROM recompute_subjects WHERE run_id = {run:UUID} AND is_dirty
  ),
  visits AS (
    SELECT *, dateDiff('millisecond', lagInFrame(event_time, 1, event_time) OVER by_time, event_time) > 1800000 AS is_late
    FROM hits FINAL
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM dirty) AND NOT is_bot
    WINDOW by_time AS (PARTITION BY profile_id, subject_id ORDER BY event_time, toString(event_id) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
  ),
  stretches AS (
    SELECT *, sum(is_late) OVER (PARTITION BY profile_id, subject_id ORDER BY event_time, toString(event_id) ROWS UNBOUNDED PRECEDING) AS stretch
    FROM visits
  ),
  marked AS (
    SELECT *,
      row_number() OVER in_stretch = 1 AS opens,
      last_value(nullIf(signature, '')) IGNORE NULLS OVER (
        PARTITION BY profile_id, subject_id, stretch ORDER BY event_time, toString(event_id)
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS came_by
    FROM stretches
    WINDOW in_stretch AS (PARTITION BY profile_id, subject_id, stretch ORDER BY event_time, toString(event_id))
  ),
  derived AS (
    SELECT profile_id, subject_id, event_id AS touch_id, event_time AS touch_time, channel, source, medium, is_direct,
      false AS is_synthetic, click_id_kind, campaign_ref, ad_set_ref, ad_ref, utm, url, path, device, country,
      cityHash64(event_time, channel, source, medium, is_direct, click_id_kind, campaign_ref, ad_set_ref, ad_ref,
        toString(utm), url, device, country) AS content_hash
    FROM marked
    WHERE opens OR (signature != '' AND signature != ifNull(came_by, ''))
  ),
  standing AS (
    SELECT * FROM touches FINAL
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM dirty) AND NOT is_synthetic
  )
SELECT
  d.profile_id, d.subject_id, d.touch_id, d.touch_time, d.channel, d.source, d.medium, d.is_direct, d.is_synthetic,
  d.click_id_kind, d.campaign_ref, d.ad_set_ref, d.ad_ref, d.utm, d.url, d.path, d.device, d.country, d.content_hash,
  v.version, 0
FROM derived AS d
INNER JOIN dirty AS v ON v.profile_id = d.profile_id AND v.subject_id = d.subject_id
LEFT JOIN standing AS s ON s.profile_id = d.profile_id AND s.subject_id = d.subject_id AND s.touch_id = d.touch_id
WHERE s.content_hash != d.content_hash
UNION ALL
SELECT s.* EXCEPT (version, is_deleted), v.version, 1
FROM standing AS s
INNER JOIN dirty AS v ON v.profile_id = s.profile_id AND v.subject_id = s.subject_id
LEFT ANTI JOIN derived AS d ON d.profile_id = s.profile_id AND d.subject_id = s.subject_id AND d.touch_id = s.touch_id`,
})
