import { z } from 'zod'
import { query } from '../query.ts'

/** Whoever has an ad at all; for work on every profile, never for an answer to one. */
export const profilesWithAds = query({
  name: 'profiles_with_ads',
  params: z.object({}),
  row: z.object({ profile_id: z.uuid() }),
  sql: `SELECT DISTINCT profile_id FROM ad_entities WHERE level = 'ad'`,
})
