import { z } from 'zod'
import { statement } from '../query.ts'

/** Dirty subjects → their customers → all subjects of those customers: what a run derives again. */
export const expandSubjects = statement({
  name: 'expand_subjects',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO recompute_subjects (run_id, profile_id, customer_id, subject_id, is_dirty, version)
WITH
  told AS (
    SELECT profile_id, subject_id, max(version) AS version
    FROM recompute_dirty WHERE run_id = {run:UUID} GROUP BY profile_id, subject_id
  ),
  -- An outcome that was re-sent with another identity leaves a customer behind, which changes as well.
  left_behind AS (
    SELECT profile_id, subject_id FROM outcome_subjects
    WHERE (profile_id, outcome_id) IN (
      SELECT profile_id, outcome_id FROM subject_outcomes
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM told))
  ),
  versions AS (SELECT profile_id, max(version) AS version FROM told GROUP BY profile_id),
  dirty AS (
    SELECT profile_id, subject_id FROM told UNION DISTINCT SELECT profile_id, subject_id FROM left_behind
  ),
  dirty_map AS (
    SELECT profile_id, subject_id, customer_id FROM identity_map FINAL
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM dirty)
  ),
  people AS (
    SELECT d.profile_id AS profile_id, if(m.customer_id = zero, d.subject_id, m.customer_id) AS customer_id
    FROM dirty AS d LEFT JOIN dirty_map AS m ON m.profile_id = d.profile_id AND m.subject_id = d.subject_id
    GROUP BY profile_id, customer_id
  ),
  candidates AS (
    SELECT profile_id, subject_id FROM customer_subjects
    WHERE (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM people)
  ),
  -- customer_subjects may name subjects that have moved on; the map has the last word.
  members AS (
    SELECT profile_id, customer_id, subject_id FROM identity_map FINAL
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM candidates)
      AND (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM people)
    UNION DISTINCT
    SELECT d.profile_id, d.subject_id, d.subject_id
    FROM dirty AS d LEFT ANTI JOIN dirty_map AS m ON m.profile_id = d.profile_id AND m.subject_id = d.subject_id
  ),
  toUUID('00000000-0000-0000-0000-000000000000') AS zero
SELECT {run:UUID}, m.profile_id, m.customer_id, m.subject_id, t.version > 0, v.version
FROM members AS m
INNER JOIN versions AS v ON v.profile_id = m.profile_id
LEFT JOIN told AS t ON t.profile_id = m.profile_id AND t.subject_id = m.subject_id`,
})
