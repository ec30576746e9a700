import { z } from 'zod'
import { lookUp, query } from '../query.ts'

const text = z.string().transform((value) => value || null)

/** What `credits` says of conversions: their value, and the touches in their window. */
export const conversionDetails = query({
  name: 'conversion_details',
  params: z.object({ profile: z.uuid(), conversions: z.array(z.uuid()) }),
  row: z.object({
    conversion_id: z.uuid(),
    customer_id: z.uuid(),
    conversion_type: z.string(),
    revenue_type: z.string(),
    occurred_at: z.string(),
    net_minor: z.coerce.bigint().nullable(),
    country: text,
    device: text,
    channel: text,
    source: text,
    first_touch_at: z.string().nullable(),
    touch_count: z.coerce.number(),
    touch_channels: z.array(z.string()),
  }),
  sql: `
SELECT conversion_id, customer_id, conversion_type, revenue_type, occurred_at, net_minor, country, device,
  channels[-1] AS channel, sources[-1] AS source,
  if(empty(touch_times), NULL, touch_times[1]) AS first_touch_at,
  countEqual(directs, false) AS touch_count,
  arrayDistinct(channels) AS touch_channels
FROM credits FINAL
WHERE profile_id = {profile:UUID} AND conversion_id IN {conversions:Array(UUID)}
${lookUp}`,
})
