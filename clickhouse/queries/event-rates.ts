import { z } from 'zod'
import { query } from '../query.ts'

/** The table lies by when events happened: to look for those that came later than this would read the profile's all. */
export const lateHours = 48

/**
 * What was received in each of the last hours, by source; hours without any are left out, and so is what came more than
 * `lateHours` late.
 */
export const eventRates = query({
  name: 'event_rates',
  params: z.object({ profile: z.uuid(), hours: z.int() }),
  row: z.object({ hour: z.string(), source: z.string(), events: z.coerce.number() }),
  sql: `
SELECT toStartOfHour(received_at) AS hour, toString(source) AS source, count() AS events
FROM event_receipts
WHERE profile_id = {profile:UUID} AND received_at >= now() - toIntervalHour({hours:UInt16})
  AND event_time >= now() - toIntervalHour({hours:UInt16}) - INTERVAL ${lateHours} HOUR
GROUP BY hour, source ORDER BY hour DESC, source`,
})
