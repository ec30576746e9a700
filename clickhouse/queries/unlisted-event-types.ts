import { z } from 'zod'
import { isStaged } from '../attribution/outcomes-in-force.ts'
import { query } from '../query.ts'

/** Event types that arrived lately and that no definition lists: stored, but no conversions until one does. */
export const unlistedEventTypes = query({
  name: 'unlisted_event_types',
  params: z.object({ profile: z.uuid(), since: z.string(), limit: z.int() }),
  row: z.object({ event_type: z.string(), events: z.coerce.number() }),
  sql: `
WITH listed AS (
  SELECT arrayJoin(event_types) AS event_type FROM conversion_definitions FINAL WHERE profile_id = {profile:UUID}
)
SELECT event_type, uniq(outcome_id) AS events
FROM outcomes
WHERE profile_id = {profile:UUID} AND received_at >= parseDateTime64BestEffort({since:String}, 3, 'UTC')
  AND event_type NOT IN (SELECT event_type FROM listed) AND NOT ${isStaged()}
GROUP BY event_type
ORDER BY events DESC, event_type
LIMIT {limit:UInt32}`,
})
