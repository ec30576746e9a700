import { z } from 'zod'
import { query } from '../query.ts'
import { adReferences } from './named-ads.ts'
import { subjectsOfCustomer } from './subjects-of-customer.ts'

const text = z.string().transform((value) => value || null)

/** Touches of a customer in order of time, without page, device, place or session. */
export const customerTouches = query({
  name: 'customer_touches',
  params: z.object({
    profile: z.uuid(),
    customer: z.uuid(),
    /** Epoch milliseconds; later touches are left out. */
    until: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
  row: z.object({
    touch_id: z.uuid(),
    touch_time: z.string(),
    channel: text,
    click_id_kind: text,
    ...adReferences,
    total_count: z.coerce.number(),
  }),
  sql: `
WITH ${subjectsOfCustomer}
SELECT touch_id, touch_time, channel, click_id_kind, ad_ref, ad_set_ref, campaign_ref, utm['content'] AS tag_content,
  utm['term'] AS tag_term, utm['id'] AS tag_id, utm['campaign'] AS tag_campaign, count() OVER () AS total_count
FROM touches FINAL
WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM subjects)
  AND toUnixTimestamp64Milli(touch_time) <= {until:Int64}
ORDER BY touch_time, toString(touch_id)
LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
})
