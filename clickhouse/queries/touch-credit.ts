import { z } from 'zod'
import { models } from '../../domain/models.ts'
import { query } from '../query.ts'

const weights = Object.fromEntries(models.map((model) => [model, z.coerce.number()])) as Record<
  (typeof models)[number],
  z.ZodCoercedNumber
>

/** Weights of the touches of `credits` rows, one row a touch. */
const addedUp = (credits: string) => `
SELECT touch_id, ${models.map((model, at) => `sum(weights.${at + 1}) AS ${model}`).join(', ')}
FROM (
  SELECT arrayJoin(arrayZip(touch_ids, arrayZip(${models.join(', ')}))) AS touch, touch.1 AS touch_id, touch.2 AS weights
  FROM credits FINAL
  WHERE profile_id = {profile:UUID} AND ${credits}
)
WHERE touch_id IN {touches:Array(UUID)}
GROUP BY touch_id`

const params = z.object({ profile: z.uuid(), touches: z.array(z.uuid()) })
const row = z.object({ touch_id: z.uuid(), ...weights })

/** What touches earned of a customer's conversions, in billionths of a conversion; one in no window is left out. */
export const touchCreditOfCustomer = query({
  name: 'touch_credit_of_customer',
  params: params.extend({ customer: z.uuid() }),
  row,
  sql: addedUp(`conversion_id IN (
      SELECT conversion_id FROM customer_conversions
      WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID})
    AND customer_id = {customer:UUID}`),
})

/** The same of one conversion. */
export const touchCreditOfConversion = query({
  name: 'touch_credit_of_conversion',
  params: params.extend({ conversion: z.uuid() }),
  row,
  sql: addedUp('conversion_id = {conversion:UUID}'),
})
