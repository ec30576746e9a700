import { z } from 'zod'
import { lookUp, query } from '../query.ts'

/**
 * When subjects were first and last seen, and by which systems: the tracker, a server, a CRM, a payment provider. A
 * subject may have two rows. Only browsers have hits.
 */
export const subjectSightings = query({
  name: 'subject_sightings',
  params: z.object({ profile: z.uuid(), browsers: z.array(z.uuid()), subjects: z.array(z.uuid()) }),
  row: z.object({
    subject_id: z.uuid(),
    first_seen_at: z.string(),
    last_seen_at: z.string(),
    sources: z.array(z.string()),
  }),
  sql: `
SELECT subject_id, min(event_time) AS first_seen_at, max(event_time) AS last_seen_at, ['tracker'] AS sources
FROM hits
WHERE profile_id = {profile:UUID} AND subject_id IN {browsers:Array(UUID)} AND NOT is_bot
GROUP BY subject_id
UNION ALL
SELECT subject_id, min(occurred_at), max(occurred_at), groupUniqArray(toString(if(provider = '', source, provider)))
FROM outcomes FINAL
WHERE profile_id = {profile:UUID} AND outcome_id IN (
  SELECT outcome_id FROM subject_outcomes
  WHERE profile_id = {profile:UUID} AND subject_id IN {subjects:Array(UUID)})
GROUP BY subject_id
${lookUp}`,
})
