import { z } from 'zod'
import { lookUp, query } from '../query.ts'

const text = z.string().transform((value) => value || null)
const time = z.coerce.number().transform((at) => new Date(at).toISOString())

/** In the order of the values of `credits.shown`. */
const shown = z.object({
  conversion_type: z.string(),
  revenue_type: z.string(),
  occurred_at: time,
  net_minor: z.coerce.bigint().nullable(),
  country: text,
  device: text,
  channel: text,
  source: text,
  first_touch_at: time.nullable(),
  touch_count: z.coerce.number(),
  touch_channels: z.array(z.string()),
})
const names = Object.keys(shown.shape)
const Detail = z.tuple([z.uuid(), z.string()]).transform(([conversion_id, packed]) => {
  const values = JSON.parse(packed) as unknown[]
  return { conversion_id, ...shown.parse(Object.fromEntries(names.map((name, at) => [name, values[at]]))) }
})
export type ConversionDetail = z.infer<typeof Detail>

/**
 * What `credits` says of a page of conversions of these customers, their value and the touches in their window, and of
 * the customers over their whole life: one row a customer. Both in one read, since most of what each would cost is to
 * plan and to find the rows.
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
  groupArrayIf((conversion_id, shown), conversion_id IN {conversions:Array(UUID)}) AS listed
FROM credits FINAL
WHERE profile_id = {profile:UUID}
  AND conversion_id IN (
    SELECT conversion_id FROM customer_conversions
    WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)})
GROUP BY customer_id
${lookUp}`,
})
