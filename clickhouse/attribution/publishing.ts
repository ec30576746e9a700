import { z } from 'zod'
import { query, statement } from '../query.ts'

/** One row when a part begins to be published, one when it is over; kept longer than the part itself. */
export const publishingTable = 'recompute_publishing'

/** Of the profiles of a run, what a process that has ended left half published. */
const unfinished = `
  SELECT profile_id, run_id, created_at FROM ${publishingTable} FINAL
  WHERE profile_id IN (SELECT profile_id FROM recompute_dirty WHERE run_id = {run:UUID}) AND NOT is_over`

export const countUnfinished = `(SELECT count() FROM (${unfinished}))`

export const unfinishedParts = query({
  name: 'unfinished_parts',
  params: z.object({ run: z.uuid() }),
  row: z.object({ part: z.uuid(), profiles: z.array(z.uuid()) }),
  sql: `
SELECT run_id AS part, groupArray(profile_id) AS profiles FROM (${unfinished})
GROUP BY run_id ORDER BY min(created_at)`,
})

/** The rows of some profiles as a part of their own: the other profiles of a part may have another writer by now. */
export const takeUp = statement({
  name: 'take_up_credits',
  params: z.object({ part: z.uuid(), from: z.uuid(), profiles: z.array(z.uuid()) }),
  sql: `
INSERT INTO recompute_credits
SELECT * REPLACE ({part:UUID} AS run_id, now() AS created_at)
FROM (SELECT * FROM recompute_credits WHERE run_id = {from:UUID} AND profile_id IN {profiles:Array(UUID)})`,
})
