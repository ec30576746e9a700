import { z } from 'zod'
import { mostIds, query } from '../query.ts'

/** When each of these outcomes happened, whose it is by its sender and who it was for, as it stands. */
export const standingOutcomes = query({
  name: 'standing_outcomes',
  params: z.object({ profiles: z.array(z.uuid()), outcomes: z.array(z.uuid()).max(mostIds) }),
  row: z.object({
    outcome_id: z.uuid(),
    occurred_at: z.coerce.number(),
    subject_id: z.uuid(),
    subject_ref: z.uuid().nullable(),
  }),
  sql: `
SELECT outcome_id, toUnixTimestamp64Milli(tupleElement(newest, 1)) AS occurred_at, tupleElement(newest, 2) AS subject_id,
  tupleElement(newest, 3) AS subject_ref
FROM (
  SELECT outcome_id, argMax(tuple(occurred_at, subject_id, subject_ref), version) AS newest FROM outcomes
  WHERE profile_id IN {profiles:Array(UUID)} AND outcome_id IN {outcomes:Array(UUID)}
  GROUP BY outcome_id
)`,
})
