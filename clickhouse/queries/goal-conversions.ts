import { z } from 'zod'
import { lookUp, query } from '../query.ts'

const range = z.object({
  profile: z.uuid(),
  goal: z.string(),
  /** Days of the profile's zone. */
  from: z.iso.date(),
  to: z.iso.date(),
  /** Negative epoch milliseconds around those days, which only narrow what is read. */
  newest: z.int(),
  oldest: z.int(),
  /** The conversion at `newest` behind which a page begins; null when it begins with the newest. */
  behind: z.string().nullable(),
  /** At least so many, if there are. */
  limit: z.int(),
})
const ofCustomers = range.extend({ customers: z.array(z.uuid()) })

export const ListedConversion = z.object({
  conversion_id: z.uuid(),
  customer_id: z.uuid(),
  newest_first: z.coerce.number(),
})
export type ListedConversion = z.infer<typeof ListedConversion>

const inRange = 'day BETWEEN {from:Date} AND {to:Date}'
const behindPlace = 'AND (newest_first, toString(conversion_id)) > ({newest:Int64}, {behind:String})'

/**
 * Three ways to the same rows. Of a page that begins with the newest conversion nothing is compared with a place, which
 * would cost a tenth. `settled` reads what merges of the table will leave: it takes longer, but a goal that has just lost
 * its conversions has none there.
 */
function paged<Params extends z.ZodObject>(name: string, params: Params, sql: (read: Reading) => string) {
  const of = (reading: Reading) => query({ name, params, row: ListedConversion, sql: sql(reading) })
  return {
    first: of({ final: '', place: '' }),
    next: of({ final: '', place: behindPlace }),
    settled: of({ final: 'FINAL', place: behindPlace }),
  }
}

interface Reading {
  final: '' | 'FINAL'
  place: string
}

/** Rows of one place come together, with those that were written there before. */
const inOrder = `ORDER BY newest_first, toString(conversion_id)
LIMIT {limit:UInt32} WITH TIES`

/** The blocks are small, since of every part one is read before the first row is known. */
const newestFirst = ({ final, place }: Reading, condition = '') => `
SELECT conversion_id, customer_id, newest_first
FROM goal_conversions ${final}
WHERE profile_id = {profile:UUID} AND conversion_type = {goal:String}
  AND newest_first BETWEEN {newest:Int64} AND {oldest:Int64} AND ${inRange} AND is_deleted = 0 ${place} ${condition}
${inOrder}
${lookUp}, max_block_size = 1024`

/**
 * Conversions of a goal, newest first: every one that there is, and places that one has left since. The table has that
 * order, so a page costs a page.
 */
export const goalConversions = paged('goal_conversions', range, (reading) => newestFirst(reading))

/** The same of customers who are many: read in order until there are enough of theirs. */
export const goalConversionsAmong = paged('goal_conversions_among_customers', ofCustomers, (reading) =>
  newestFirst(reading, 'AND customer_id IN {customers:Array(UUID)}'),
)

/** The same of a few customers: their conversions are looked up, whatever the range holds. */
export const goalConversionsOf = paged(
  'goal_conversions_of_customers',
  ofCustomers,
  ({ place }) => `
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
WHERE ${inRange} ${place}
${inOrder}
${lookUp}`,
)
