import type pg from 'pg'
import type { Warehouse } from '../../../clickhouse/client.ts'
import {
  goalConversions,
  goalConversionsAmong,
  goalConversionsOf,
  type ListedConversion,
} from '../../../clickhouse/queries/goal-conversions.ts'
import { mostIds } from '../../../clickhouse/query.ts'
import type { SearchTerm } from '../../../domain/search-term.ts'
import { dayMs } from '../../../domain/time.ts'
import { customersMatching, keepMatching } from '../../../postgres/stores/customer-search.ts'

/** So many are looked up one by one: 25 ms and a quarter each. More are found sooner among the newest conversions. */
const fewCustomers = 300
/** Of conversions that are compared with the term; and so many at a time, since often the first have enough of them. */
const firstStretch = 1_000
const longestStretch = 100_000
const compared = 500

export interface Wanted {
  profile: string
  goal: string
  from: string
  to: string
  limit: number
  /** Where the list goes on; null for its beginning. */
  behind: Pick<ListedConversion, 'conversion_id' | 'newest_first'> | null
}

export interface Engines {
  postgres: pg.Pool
  clickhouse: Warehouse
}

type Stretches = AsyncGenerator<ListedConversion[], void>

/**
 * Places of conversions of customers who match the term, in order, some at a time: each that there is, once, and a few
 * at which none stands any more. It goes on for as long as more are asked for.
 */
export async function* findConversions(engines: Engines, wanted: Wanted, term: SearchTerm | null): Stretches {
  const { postgres, clickhouse } = engines
  if (!term) return yield* everyConversion(clickhouse, wanted)
  const customers = await customersMatching(postgres, wanted.profile, term, mostIds)
  // More than one parameter holds: whoever converted is compared with the term.
  if (!customers) return yield* compareAll(engines, wanted, term)
  if (customers.length === 0) return
  const conversions = customers.length > fewCustomers ? goalConversionsAmong : goalConversionsOf
  yield* inStretches(wanted, (way, page) => clickhouse.run(conversions[way], { ...page, customers }))
}

const everyConversion = (clickhouse: Warehouse, wanted: Wanted) =>
  inStretches(wanted, (way, page) => clickhouse.run(goalConversions[way], page))

async function* compareAll({ postgres, clickhouse }: Engines, wanted: Wanted, term: SearchTerm): Stretches {
  for await (const rows of everyConversion(clickhouse, { ...wanted, limit: firstStretch })) {
    for (let from = 0; from < rows.length; from += compared) {
      const some = rows.slice(from, from + compared)
      const customers = some.map((row) => row.customer_id)
      const matching = await keepMatching(postgres, wanted.profile, customers, term)
      yield some.filter((row) => matching.has(row.customer_id))
    }
  }
}

type Way = keyof typeof goalConversions

interface Page extends Omit<Wanted, 'behind'> {
  newest: number
  oldest: number
  behind: string | null
}

/**
 * From the newest on, in growing stretches, to the last. The first is read the quick way and is mostly enough; where it
 * is not, many of its places may have been left.
 */
async function* inStretches(
  { behind, limit, ...wanted }: Wanted,
  read: (way: Way, page: Page) => Promise<ListedConversion[]>,
): Stretches {
  // Zones are at most a day away.
  const newest = -Date.parse(wanted.to) - 2 * dayMs
  const oldest = -Date.parse(wanted.from) + dayMs
  let place = behind && behind.newest_first > newest ? behind : null
  for (let way: Way = place ? 'next' : 'first'; ; way = 'settled') {
    const start = { newest: place?.newest_first ?? newest, behind: place?.conversion_id ?? null }
    const rows = await read(way, { ...wanted, ...start, oldest, limit })
    yield distinct(rows)
    const last = rows.at(-1)
    if (!last || rows.length < limit) return
    place = last
    limit = Math.min(limit * 5, longestStretch)
  }
}

/** A place to which a recompute has come twice is in the table twice, until it merges the two. */
const distinct = (rows: ListedConversion[]) => [
  ...new Map(rows.map((row) => [`${row.conversion_id} ${row.newest_first} ${row.customer_id}`, row])).values(),
]
