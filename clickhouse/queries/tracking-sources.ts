import { z } from 'zod'
import { query } from '../query.ts'

/** Whether anything of each kind ever came in. */
export const trackingSources = query({
  name: 'tracking_sources',
  params: z.object({ profile: z.uuid() }),
  row: z.object({
    has_hits: z.boolean(),
    has_outcomes: z.boolean(),
    has_delivery: z.boolean(),
    has_credit: z.boolean(),
  }),
  sql: `
SELECT
  toBool((SELECT count() FROM (SELECT 1 FROM hits WHERE profile_id = {profile:UUID} LIMIT 1)) > 0) AS has_hits,
  toBool((SELECT count() FROM (
    SELECT 1 FROM event_receipts WHERE profile_id = {profile:UUID} AND source != 'tracker' LIMIT 1)) > 0) AS has_outcomes,
  toBool((SELECT count() FROM (SELECT 1 FROM ad_delivery WHERE profile_id = {profile:UUID} LIMIT 1)) > 0) AS has_delivery,
  toBool((SELECT count() FROM (
    SELECT 1 FROM report_credits WHERE profile_id = {profile:UUID} AND notEmpty(a_campaign) LIMIT 1)) > 0) AS has_credit`,
})
