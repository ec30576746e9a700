import { z } from 'zod'
import { query } from '../query.ts'

/** When customers were first and last seen, and by which systems: the tracker, a server, a CRM, a payment provider. */
export const customerSightings = query({
  name: 'customer_sightings',
  params: z.object({ profile: z.uuid(), customers: z.array(z.uuid()) }),
  row: z.object({
    customer_id: z.uuid(),
    first_seen_at: z.string(),
    last_seen_at: z.string(),
    sources: z.array(z.string()),
  }),
  sql: `
WITH
  members AS (
    SELECT subject_id, customer_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID}
      AND subject_id IN (
        SELECT subject_id FROM customer_subjects
        WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)})
      AND customer_id IN {customers:Array(UUID)}
  ),
  seen AS (
    SELECT subject_id, min(event_time) AS first_at, max(event_time) AS last_at, ['tracker'] AS known_by
    FROM hits
    WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM members) AND NOT is_bot
    GROUP BY subject_id
    UNION ALL
    SELECT subject_id, min(occurred_at), max(occurred_at), groupUniqArray(toString(if(provider = '', source, provider)))
    FROM outcomes FINAL
    WHERE profile_id = {profile:UUID} AND outcome_id IN (
      SELECT outcome_id FROM subject_outcomes
      WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM members))
    GROUP BY subject_id
  )
SELECT m.customer_id AS customer_id, min(s.first_at) AS first_seen_at, max(s.last_at) AS last_seen_at,
  arraySort(groupUniqArrayArray(s.known_by)) AS sources
FROM seen AS s INNER JOIN members AS m ON m.subject_id = s.subject_id
GROUP BY m.customer_id`,
})
