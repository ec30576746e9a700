import type pg from 'pg'
import type { Warehouse } from '../../../clickhouse/client.ts'
import {
  goalConversions,
  goalConversionsOf,
  type ListedConversion,
} from '../../../clickhouse/queries/goal-conversions.ts'
import type { SearchTerm } from '../../../domain/search-term.ts'
import { customersMatching, keepMatching } from '../../../postgres/stores/customer-search.ts'

/** Up to so many matches are looked up one by one; a commoner term is found among the newest conversions at once. */
const fewCustomers = 2_000
const firstStretch = 1_000
const longestStretch = 100_000

export interface Place {
  after: number
  after_id: string
}

interface Wanted extends Place {
  profile: string
  goal: string
  from: string
  to: string
  limit: number
}

interface Engines {
  postgres: pg.Pool
  clickhouse: Warehouse
}

/** At most `limit` conversions in order, of customers who match the term. */
export async function findConversions(
  engines: Engines,
  wanted: Wanted,
  term: SearchTerm | null,
): Promise<ListedConversion[]> {
  const { postgres, clickhouse } = engines
  if (!term) return clickhouse.run(goalConversions, wanted)
  // Nobody knows yet whether the term is common; if it is, the newest conversions are needed.
  const [customers, newest] = await Promise.all([
    customersMatching(postgres, wanted.profile, term, fewCustomers + 1),
    clickhouse.run(goalConversions, { ...wanted, limit: firstStretch }),
  ])
  if (customers.length === 0) return []
  if (customers.length <= fewCustomers) return clickhouse.run(goalConversionsOf, { ...wanted, customers })
  return walk(engines, wanted, term, newest)
}

/** Goes on from the newest in growing stretches and keeps who matches, until there are enough. */
async function walk(
  { postgres, clickhouse }: Engines,
  wanted: Wanted,
  term: SearchTerm,
  newest: ListedConversion[],
): Promise<ListedConversion[]> {
  const found: ListedConversion[] = []
  let rows = newest
  for (let size = firstStretch; ; ) {
    // A quarter at a time: often the first has enough of them.
    const quarter = Math.ceil(size / 4)
    for (let i = 0; i < rows.length && found.length < wanted.limit; i += quarter) {
      const some = rows.slice(i, i + quarter)
      const customers = some.map((row) => row.customer_id)
      const matching = await keepMatching(postgres, wanted.profile, customers, term)
      found.push(...some.filter((row) => matching.has(row.customer_id)))
    }
    const last = rows.at(-1)
    if (found.length >= wanted.limit || rows.length < size || !last) return found.slice(0, wanted.limit)
    size = Math.min(size * 5, longestStretch)
    const next: Place = { after: last.newest_first, after_id: last.conversion_id }
    rows = await clickhouse.run(goalConversions, { ...wanted, ...next, limit: size })
  }
}
