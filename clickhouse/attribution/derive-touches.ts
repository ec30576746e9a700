import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'
import { inSlice, sliceParams } from './slice.ts'

/**
 * Hits of the dirty subjects → the touches they start. A session ends after 30 minutes without a hit,
 * or when a hit comes by something else than the session did. What no longer comes out gets a tombstone.
 */
export const deriveTouches = statement({
  name: 'derive_touches',
  params: sliceParams,
  sql: `
INSERT INTO touches (
  profile_id, subject_id, touch_id, touch_time, channel, source, medium, is_direct, is_synthetic, click_id_kind,
  campaign_ref, ad_set_ref, ad_ref, utm, url, path, device, country, content_hash, version, is_deleted)
WITH
  ${nobody} AS nothing,
  -- What has no hit in the 30 minutes before it opens a session.
  visits AS (
    SELECT profile_id, subject_id, event_id, event_time, channel, source, medium, is_direct, click_id_kind, campaign_ref,
      ad_set_ref, ad_ref, utm, url, path, device, country, signature, toString(event_id) AS id,
      row_number() OVER by_time = 1
        OR dateDiff('millisecond', lagInFrame(event_time, 1, event_time) OVER by_time, event_time) > 1800000 AS opens
    FROM hits FINAL
    WHERE (profile_id, subject_id) IN (
        SELECT profile_id, subject_id FROM recompute_subjects WHERE ${inSlice} AND is_dirty)
      AND NOT is_bot
    WINDOW by_time AS (PARTITION BY profile_id, subject_id ORDER BY event_time, id ROWS UNBOUNDED PRECEDING)
  ),
  -- By what the visitor last came before the hit, and when; what was before the session does not count.
  marked AS (
    SELECT *, last_value(if(opens, event_time, NULL)) IGNORE NULLS OVER so_far AS opened_at,
      last_value(if(signature = '', NULL, event_time)) IGNORE NULLS OVER before AS came_at,
      last_value(nullIf(signature, '')) IGNORE NULLS OVER before AS came_by
    FROM visits
    WINDOW so_far AS (PARTITION BY profile_id, subject_id ORDER BY event_time, id ROWS UNBOUNDED PRECEDING),
      before AS (PARTITION BY profile_id, subject_id ORDER BY event_time, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ),
  derived AS (
    SELECT *, cityHash64(event_time, channel, source, medium, is_direct, click_id_kind, campaign_ref, ad_set_ref, ad_ref,
      toString(utm), url, device, country) AS content_hash
    FROM marked
    WHERE opens OR (signature != '' AND signature != if(came_at >= opened_at, ifNull(came_by, ''), ''))
  ),
  standing AS (
    SELECT profile_id, subject_id, touch_id, content_hash FROM touches FINAL
    WHERE (profile_id, subject_id) IN (
        SELECT profile_id, subject_id FROM recompute_subjects WHERE ${inSlice} AND is_dirty)
      AND NOT is_synthetic
  ),
  -- Both sides at once: what is new or differs, and what stands but no longer comes out.
  changed AS (
    SELECT d.*, s.touch_id AS standing_id, d.event_id = nothing AS is_gone,
      if(is_gone, s.profile_id, d.profile_id) AS of_profile, if(is_gone, s.subject_id, d.subject_id) AS of_subject
    FROM derived AS d
    FULL JOIN standing AS s ON s.profile_id = d.profile_id AND s.subject_id = d.subject_id AND s.touch_id = d.event_id
    WHERE s.content_hash != d.content_hash
  )
-- A tombstone needs no more than its key.
SELECT c.of_profile, c.of_subject, if(c.is_gone, c.standing_id, c.event_id), c.event_time, c.channel, c.source, c.medium,
  c.is_direct, false, c.click_id_kind, c.campaign_ref, c.ad_set_ref, c.ad_ref, c.utm, c.url, c.path, c.device, c.country,
  c.content_hash, v.version, c.is_gone
FROM changed AS c
INNER JOIN (
  SELECT profile_id, subject_id, version FROM recompute_subjects WHERE ${inSlice} AND is_dirty
) AS v ON v.profile_id = c.of_profile AND v.subject_id = c.of_subject`,
})
