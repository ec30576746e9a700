import { z } from 'zod'
import { query } from '../query.ts'

/** Whoever has an ad at all, and how many; for work on every profile, never for an answer to one. */
export const profilesWithAds = query({
  name: 'profiles_with_ads',
  params: z.object({}),
  row: z
    .object({ profile_id: z.uuid(), ads: z.coerce.number() })
    .transform(({ profile_id, ads }) => ({ profileId: profile_id, ads })),
  sql: `SELECT profile_id, uniqExact(entity_id) AS ads FROM ad_entities WHERE level = 'ad' GROUP BY profile_id`,
})
