import { z } from 'zod'
import { lookUp, query } from '../query.ts'

const text = z.string().transform((value) => value || null)

/** In the order of the values that the statement gathers. */
const detail = z.object({
  conversion_id: z.uuid(),
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
})
export type ConversionDetail = z.infer<typeof detail>
const names = Object.keys(detail.shape)
const Detail = z
  .array(z.unknown())
  .transform((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])))
  .pipe(detail)

/**
 * What `credits` says of a page of conversions, their value and the touches in their window, and of customers over their
 * whole life: one row a customer. Both in one read, since most of what each would cost is to plan and to find the rows.
 */
export const listedConversions = query({
  name: 'listed_conversions',
  params: z.object({ profile: z.uuid(), conversions: z.array(z.uuid()), customers: z.array(z.uuid()) }),
  row: z.object({
    customer_id: z.uuid(),
    conversion_count: z.coerce.number(),
    cash_minor: z.coerce.bigint(),
    listed: z.array(Detail),
  }),
  sql: `
SELECT customer_id, count() AS conversion_count,
  sumIf(toInt128(ifNull(net_minor, 0)), revenue_type = 'cash') AS cash_minor,
  groupArrayIf((
    conversion_id, conversion_type, revenue_type, occurred_at, net_minor, country, device, channels[-1], sources[-1],
    if(empty(touch_times), NULL, touch_times[1]), countEqual(directs, false), arrayDistinct(channels)),
    conversion_id IN {conversions:Array(UUID)}) AS listed
FROM credits FINAL
WHERE profile_id = {profile:UUID}
  AND (conversion_id IN {conversions:Array(UUID)}
    OR conversion_id IN (
      SELECT conversion_id FROM customer_conversions
      WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)}))
GROUP BY customer_id
${lookUp}`,
})
