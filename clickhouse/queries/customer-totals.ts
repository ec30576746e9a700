import { z } from 'zod'
import { lookUp, query } from '../query.ts'

/** Conversions of customers over their whole life, and the cash they brought, less refunds. */
export const customerTotals = query({
  name: 'customer_totals',
  params: z.object({ profile: z.uuid(), customers: z.array(z.uuid()) }),
  row: z.object({
    customer_id: z.uuid(),
    conversion_count: z.coerce.number(),
    cash_minor: z.coerce.bigint(),
  }),
  sql: `
SELECT customer_id, count() AS conversion_count, sumIf(toInt128(ifNull(net_minor, 0)), revenue_type = 'cash') AS cash_minor
FROM credits FINAL
WHERE profile_id = {profile:UUID}
  AND conversion_id IN (
    SELECT conversion_id FROM customer_conversions
    WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)})
  AND customer_id IN {customers:Array(UUID)}
GROUP BY customer_id
${lookUp}`,
})
