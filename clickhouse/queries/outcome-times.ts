import { z } from 'zod'
import { mostIds, query } from '../query.ts'

/** When each of these outcomes happened, as it stands. */
export const outcomeTimes = query({
  name: 'outcome_times',
  params: z.object({ profiles: z.array(z.uuid()), outcomes: z.array(z.uuid()).max(mostIds) }),
  row: z.object({ outcome_id: z.uuid(), at: z.coerce.number() }),
  sql: `
SELECT outcome_id, toUnixTimestamp64Milli(argMax(occurred_at, version)) AS at FROM outcomes
WHERE profile_id IN {profiles:Array(UUID)} AND outcome_id IN {outcomes:Array(UUID)}
GROUP BY outcome_id`,
})
