import { z } from 'zod'
import { paidChannels } from '../../domain/ad-platforms.ts'
import { query } from '../query.ts'
import { sqlList } from '../sql-list.ts'

/** What came in over the last days, and how well: one row, read in the order of the table. */
export const trackingReceipts = query({
  name: 'tracking_receipts',
  params: z.object({ profile: z.uuid(), days: z.int() }),
  row: z.object({
    events: z.coerce.number(),
    receipts: z.coerce.number(),
    skewed: z.coerce.number(),
    paid: z.coerce.number(),
    paid_with_ad: z.coerce.number(),
    last_hit_at: z.string().nullable(),
  }),
  sql: `
SELECT countIf(kind = 'tracker') AS events, sumIf(times, kind = 'tracker') AS receipts,
  countIf(abs(skew) > 5000) AS skewed, countIf(is_paid) AS paid, countIf(is_paid AND has_ad) AS paid_with_ad,
  maxOrNullIf(last_received, kind = 'tracker') AS last_hit_at
FROM (
  SELECT any(source) AS kind, count() AS times, min(clock_skew_ms) AS skew, any(names_ad) AS has_ad,
    any(channel IN (${sqlList(paidChannels)}) AND NOT is_bot) AS is_paid, max(received_at) AS last_received
  FROM event_receipts
  WHERE profile_id = {profile:UUID} AND event_time >= now() - toIntervalDay({days:UInt16})
  GROUP BY profile_id, event_time, toString(event_id)
)
SETTINGS optimize_aggregation_in_order = 1`,
})
