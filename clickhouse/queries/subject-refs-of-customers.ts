import { z } from 'zod'
import { query } from '../query.ts'

/** Tokens of who payments were for, of these customers and of nobody else. */
export const subjectRefsOfCustomers = query({
  name: 'subject_refs_of_customers',
  params: z.object({ profile: z.uuid(), customers: z.array(z.uuid()) }),
  row: z.object({ token: z.uuid() }),
  sql: `
WITH
  subjects AS (
    SELECT subject_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)}
      AND subject_id IN (
        SELECT subject_id FROM customer_subjects
        WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)})
  ),
  own AS (
    SELECT subject_ref FROM outcomes FINAL
    WHERE profile_id = {profile:UUID} AND subject_ref IS NOT NULL AND outcome_id IN (
      SELECT outcome_id FROM subject_outcomes
      WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM subjects))
  )
SELECT DISTINCT assumeNotNull(subject_ref) AS token FROM own
WHERE subject_ref NOT IN (
  SELECT assumeNotNull(subject_ref) FROM outcomes FINAL
  WHERE profile_id = {profile:UUID} AND subject_ref IN (SELECT subject_ref FROM own)
    AND subject_id NOT IN (SELECT subject_id FROM subjects))`,
})
