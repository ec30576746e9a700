import { z } from 'zod'
import { lookUp, query } from '../query.ts'

/** Where a page of conversions begins: after this one, or with the newest. */
export const listParams = z.object({
  profile: z.uuid(),
  goal: z.string(),
  from: z.iso.date(),
  to: z.iso.date(),
  /** Negative epoch milliseconds. */
  after: z.int(),
  after_id: z.string(),
  limit: z.int(),
})

export const ListedConversion = z.object({
  conversion_id: z.uuid(),
  customer_id: z.uuid(),
  newest_first: z.coerce.number(),
})
export type ListedConversion = z.infer<typeof ListedConversion>

/** Days are of the profile's zone, which is at most a day away: the times only narrow what is read. */
const inRange = `day BETWEEN {from:Date} AND {to:Date}
  AND (newest_first, toString(conversion_id)) > ({after:Int64}, {after_id:String})`
const nearRange = `newest_first >= {after:Int64}
  AND newest_first >= -1000 * toInt64(toUnixTimestamp(toDateTime({to:Date}, 'UTC') + INTERVAL 2 DAY))
  AND newest_first <= -1000 * toInt64(toUnixTimestamp(toDateTime({from:Date}, 'UTC') - INTERVAL 1 DAY))`

const newestFirst = (condition: string) => `
SELECT conversion_id, customer_id, newest_first
FROM goal_conversions FINAL
WHERE profile_id = {profile:UUID} AND conversion_type = {goal:String} AND ${nearRange} AND ${inRange}${condition}
ORDER BY newest_first, toString(conversion_id)
LIMIT {limit:UInt32}
${lookUp}, max_block_size = 1024`

/**
 * Conversions of a goal, newest first. The table has that order, so a page costs a page: the blocks are small, since of
 * every part one is read before the first row is known.
 */
export const goalConversions = query({
  name: 'goal_conversions',
  params: listParams,
  row: ListedConversion,
  sql: newestFirst(''),
})

const ofCustomers = listParams.extend({ customers: z.array(z.uuid()) })

/** The same of customers who are many: read in order until there are enough of theirs. */
export const goalConversionsAmong = query({
  name: 'goal_conversions_among_customers',
  params: ofCustomers,
  row: ListedConversion,
  sql: newestFirst(' AND customer_id IN {customers:Array(UUID)}'),
})

/** The same of a few customers: their conversions are looked up, whatever the range holds. */
export const goalConversionsOf = query({
  name: 'goal_conversions_of_customers',
  params: ofCustomers,
  row: ListedConversion,
  sql: `
SELECT conversion_id, customer_id, newest_first
FROM (
  SELECT conversion_id, customer_id, day, -toUnixTimestamp64Milli(occurred_at) AS newest_first
  FROM credits FINAL
  WHERE profile_id = {profile:UUID}
    AND conversion_id IN (
      SELECT conversion_id FROM customer_conversions
      WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)})
    AND conversion_type = {goal:String} AND customer_id IN {customers:Array(UUID)}
)
WHERE ${inRange}
ORDER BY newest_first, toString(conversion_id)
LIMIT {limit:UInt32}
${lookUp}`,
})
