import { z } from 'zod'
import { query } from '../query.ts'

/** How many conversions of the last days have touches, and a value that could be converted. */
export const conversionCoverage = query({
  name: 'conversion_coverage',
  params: z.object({ profile: z.uuid(), days: z.int() }),
  row: z.object({
    conversions: z.coerce.number(),
    joined: z.coerce.number(),
    without_rate: z.coerce.number(),
    currencies_without_rate: z.array(z.string()),
  }),
  sql: `
SELECT count() AS conversions, countIf(notEmpty(touch_ids)) AS joined,
  countIf(amount_minor != 0 AND net_minor IS NULL) AS without_rate,
  arraySort(groupUniqArrayIf(20)(toString(currency), amount_minor != 0 AND net_minor IS NULL))
    AS currencies_without_rate
FROM credits FINAL
WHERE profile_id = {profile:UUID} AND is_eligible AND conversion_id IN (
  SELECT conversion_id FROM goal_conversions
  WHERE profile_id = {profile:UUID} AND day >= toDate(now()) - {days:UInt16})
  AND day >= toDate(now()) - {days:UInt16}`,
})
