import { z } from 'zod'
import { query } from '../query.ts'

const ConversionOfCustomer = z.object({
  conversion_id: z.uuid(),
  outcome_id: z.uuid(),
  customer_id: z.uuid(),
  conversion_type: z.string(),
  revenue_type: z.string(),
  occurred_at: z.string(),
  net_minor: z.coerce.bigint().nullable(),
})

const columns = 'conversion_id, outcome_id, customer_id, conversion_type, revenue_type, occurred_at, net_minor'

/** A customer's conversions, newest first. */
export const newestConversions = query({
  name: 'newest_conversions',
  params: z.object({ profile: z.uuid(), customer: z.uuid(), limit: z.int() }),
  row: ConversionOfCustomer,
  sql: `
SELECT ${columns}
FROM credits FINAL
WHERE profile_id = {profile:UUID}
  AND conversion_id IN (
    SELECT conversion_id FROM customer_conversions
    WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID})
  AND customer_id = {customer:UUID}
ORDER BY occurred_at DESC, toString(conversion_id)
LIMIT {limit:UInt32}`,
})

/** Those of these conversions that count. */
export const findConversions = query({
  name: 'find_conversions',
  params: z.object({ profile: z.uuid(), conversions: z.array(z.uuid()) }),
  row: ConversionOfCustomer,
  sql: `
SELECT ${columns}
FROM credits FINAL
WHERE profile_id = {profile:UUID} AND conversion_id IN {conversions:Array(UUID)}`,
})
