import { z } from 'zod'
import { outcomesInForce } from '../attribution/outcomes-in-force.ts'
import { lookUp, query } from '../query.ts'

const ofTheSubjects = 'profile_id = {profile:UUID} AND subject_id IN {subjects:Array(UUID)}'
const theirOutcomes = `SELECT outcome_id FROM subject_outcomes WHERE ${ofTheSubjects}`

/**
 * Which events a page of a journey holds, in order of time: page views and identifications, and outcomes of every
 * source. Only what orders them is read here, so that a long journey costs little.
 */
export const journeyPage = query({
  name: 'journey_page',
  params: z.object({
    profile: z.uuid(),
    subjects: z.array(z.uuid()),
    /** Epoch milliseconds; later events are left out. */
    until: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
  row: z.object({
    is_outcome: z.boolean(),
    subject_id: z.uuid(),
    id: z.uuid(),
    total_count: z.coerce.number(),
  }),
  sql: `
WITH
  found AS (
    SELECT outcome_id, subject_id, occurred_at FROM (${outcomesInForce({
      outcomes: `profile_id = {profile:UUID} AND outcome_id IN (${theirOutcomes})`,
      stages: 'profile_id = {profile:UUID}',
    })}
    ) WHERE event_type != ''
  ),
  payers AS (
    SELECT payment_id, payer_subject_id FROM payment_actions FINAL
    WHERE profile_id = {profile:UUID} AND kind = 'payer' AND payment_id IN (${theirOutcomes})
  ),
  events AS (
    SELECT false AS is_outcome, subject_id, event_id AS id, event_time AS at FROM hits FINAL
    WHERE ${ofTheSubjects} AND event_type IN ('page_view', 'identify') AND NOT is_bot
    UNION ALL
    SELECT true, f.subject_id, f.outcome_id, f.occurred_at
    FROM found AS f LEFT JOIN payers AS p ON p.payment_id = f.outcome_id
    -- An assigned payer takes a payment over.
    WHERE if(p.payer_subject_id = toUUID('00000000-0000-0000-0000-000000000000'), f.subject_id, p.payer_subject_id)
      IN {subjects:Array(UUID)}
  )
SELECT is_outcome, subject_id, id, count() OVER () AS total_count
FROM events
WHERE toUnixTimestamp64Milli(at) <= {until:Int64}
ORDER BY at, toString(id)
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
${lookUp}`,
})
