import { z } from 'zod'
import { query } from '../query.ts'

/** Profiles that hold outcomes in a currency and report in another that has a rate. */
export const profilesOfRates = query({
  name: 'profiles_of_rates',
  params: z.object({ bases: z.array(z.string()), quotes: z.array(z.string()) }),
  row: z.object({ profile_id: z.uuid() }),
  sql: `
SELECT DISTINCT o.profile_id AS profile_id
FROM outcomes AS o
INNER JOIN (SELECT profile_id, reporting_currency FROM profiles FINAL) AS p ON p.profile_id = o.profile_id
WHERE (o.currency, p.reporting_currency) IN arrayZip({bases:Array(String)}, {quotes:Array(String)})`,
})
