import { z } from 'zod'
import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'

const params = z.object({ run: z.uuid() })

/** An outcome that was re-sent with another identity leaves a customer behind, which changes as well: version 0. */
const addLeftBehind = statement({
  name: 'add_left_behind',
  params,
  sql: `
INSERT INTO recompute_dirty (run_id, profile_id, subject_id, version)
SELECT {run:UUID}, profile_id, subject_id, 0
FROM outcome_subjects
WHERE (profile_id, outcome_id) IN (
    SELECT profile_id, outcome_id FROM subject_outcomes
    WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_dirty WHERE run_id = {run:UUID}))
  AND (profile_id, subject_id) NOT IN (SELECT profile_id, subject_id FROM recompute_dirty WHERE run_id = {run:UUID})`,
})

const findPeople = statement({
  name: 'find_people',
  params,
  sql: `
INSERT INTO recompute_people (run_id, profile_id, customer_id, is_anonymous)
WITH ${nobody} AS zero
SELECT DISTINCT {run:UUID}, d.profile_id, if(m.customer_id = zero, d.subject_id, m.customer_id), m.customer_id = zero
FROM (SELECT DISTINCT profile_id, subject_id FROM recompute_dirty WHERE run_id = {run:UUID}) AS d
LEFT JOIN (
  SELECT profile_id, subject_id, customer_id FROM identity_map FINAL
  WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_dirty WHERE run_id = {run:UUID})
) AS m ON m.profile_id = d.profile_id AND m.subject_id = d.subject_id`,
})

/** customer_subjects may name subjects that have moved on; the map has the last word. */
const findSubjects = statement({
  name: 'find_subjects',
  params,
  sql: `
INSERT INTO recompute_subjects (run_id, profile_id, customer_id, subject_id, is_dirty, version)
SELECT {run:UUID}, m.profile_id, m.customer_id, m.subject_id, t.version > 0, v.version
FROM (
  SELECT profile_id, customer_id, subject_id FROM identity_map FINAL
  WHERE (profile_id, subject_id) IN (
      SELECT profile_id, subject_id FROM customer_subjects
      WHERE (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM recompute_people WHERE run_id = {run:UUID}))
    AND (profile_id, customer_id) IN (SELECT profile_id, customer_id FROM recompute_people WHERE run_id = {run:UUID})
  UNION ALL
  SELECT profile_id, customer_id, customer_id FROM recompute_people WHERE run_id = {run:UUID} AND is_anonymous
) AS m
INNER JOIN (
  SELECT profile_id, max(version) AS version FROM recompute_dirty WHERE run_id = {run:UUID} GROUP BY profile_id
) AS v ON v.profile_id = m.profile_id
LEFT JOIN (
  SELECT profile_id, subject_id, max(version) AS version FROM recompute_dirty WHERE run_id = {run:UUID}
  GROUP BY profile_id, subject_id
) AS t ON t.profile_id = m.profile_id AND t.subject_id = m.subject_id`,
})

/** Dirty subjects → their customers → all subjects of those customers: what a run derives again. */
export const expandSubjects = [addLeftBehind, findPeople, findSubjects]
