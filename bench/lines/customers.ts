import type pg from 'pg'
import { customerTotals } from '../../clickhouse/queries/customer-totals.ts'
import { parseSearchTerm, type SearchTerm } from '../../domain/search-term.ts'
import { asProfile } from '../../postgres/as-profile.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { findCustomerProfiles, resolveCustomer, subjectsOfCustomers } from '../../postgres/stores/customer-profiles.ts'
import { pickCustomers } from '../../postgres/stores/customer-search.ts'
import { goalKeys } from '../../postgres/stores/goal-keys.ts'
import type { Wanted } from '../../query-api/operations/customers/find-conversions.ts'
import { readEvents } from '../../query-api/operations/customers/journey-reads.ts'
import { readList } from '../../query-api/operations/customers/read-list.ts'
import { readSightings } from '../../query-api/operations/customers/read-sightings.ts'
import { type Line, type Pair, percentile, ratioAtMost, secondsOf, valueAtMost } from '../line.ts'
import { type BenchProfile, openProfile } from '../profile.ts'
import { emailOf, makeShoppers, someCustomers } from '../shoppers.ts'
import type { Database, Stage } from '../stage.ts'

const lastDay = '2026-10-31'
const range = { from: '2025-10-31', to: lastDay }

/** A read over HTTP, and the statements behind it run directly; `n` picks another of its kind. */
interface Read {
  name: string
  path: (n: number) => string
  direct: (n: number) => Promise<unknown>
}

const reads = [
  'list',
  'list, a later page',
  'list, a common name',
  'list, a name of hundreds',
  'list, a rare name',
  'search',
  'search, a typo',
  'journey',
]

/** Reads of single customers among very many, through the API and without it. */
export const customers: Line = {
  name: 'customers',
  figures: reads.flatMap((name) => [
    { name: `${name}, p95`, unit: 'ms', beside: 'its own SQL, run directly', target: valueAtMost(100) },
    { name, unit: 'ms', beside: 'its own SQL, run directly', target: ratioAtMost(1.5) },
  ]),
  async open(stage) {
    const count = stage.isQuick ? 50_000 : 1_000_000
    const api = await stage.service('api')
    const live = await stage.live()
    const pool = connectPostgres(stage.config.databaseUrl)
    const profile = await openProfile(stage)
    const { profileId } = profile
    await makeShoppers(stage, live, { profile: profileId, count, touchesEach: 10, lastDay })
    const timed = await readsOf(pool, live, profileId)
    // A service that has been up for a while: both of its processes have seen each kind often enough to be compiled for it.
    for (const read of timed) await timesOf(stage, profile, read, stage.isQuick ? 10 : 60)
    return {
      async measure() {
        const pairs: Pair[] = []
        for (const read of timed) {
          const { http, direct } = await timesOf(stage, profile, read, stage.isQuick ? 20 : 60)
          for (const share of [0.95, 0.5])
            pairs.push({ value: percentile(http, share), limit: percentile(direct, share) })
        }
        return pairs
      },
      async close() {
        await pool.end()
        await live.close()
        await api.stop()
      },
    }
  },
}

async function readsOf(pool: pg.Pool, live: Database, profile: string): Promise<Read[]> {
  const people = await someCustomers(live, profile, 100)
  const someone = (n: number) => people[n % people.length]!
  const list = (name: string, search: (n: number) => string, later = false): Read => ({
    name,
    path: (n) => {
      const cursor = later ? `&cursor_time=${cursorTime(n)}&cursor_id=${someone(n)}` : ''
      const days = `date_from=${range.from}&date_to=${range.to}`
      return `/customers?goal=payment_received&${days}${cursor}&search=${encodeURIComponent(search(n))}`
    },
    direct: (n) => {
      const behind = later ? { newest_first: -Date.parse(cursorTime(n)), conversion_id: someone(n) } : null
      return listDirectly(pool, live, profile, parseSearchTerm(search(n)), behind)
    },
  })
  const search = (name: string, typed: (n: number) => string): Read => ({
    name,
    path: (n) => `/customers/search?q=${encodeURIComponent(typed(n))}`,
    direct: (n) => searchDirectly(pool, live, profile, parseSearchTerm(typed(n))!),
  })
  return [
    list('list', () => ''),
    list('list, a later page', () => '', true),
    list('list, a common name', (n) => ['maria', 'paula', 'diego'][n % 3]!),
    list('list, a name of hundreds', (n) => ['maria gonz', 'paula cast', 'diego silva'][n % 3]!),
    list('list, a rare name', (n) => `${emailStart(1000 + n)}`),
    search('search', (n) => ['maria gonz', emailStart(2000 + n), '+56 9 4444', 'ma'][n % 4]!),
    search('search, a typo', (n) => ['mraia gonzales', 'paola castilo', 'oliverr'][n % 3]!),
    {
      name: 'journey',
      path: (n) => `/customers/${someone(n)}/journey`,
      direct: async (n) => {
        await asProfile(pool, profile, (tx) => resolveCustomer(tx, profile, someone(n)))
        await readEvents(live.warehouse, { profile, customer: someone(n), limit: 50, offset: 0 })
      },
    },
  ]
}

/** How the e-mail of a shopper begins: enough of it to be nobody else's. */
const emailStart = (n: number) => emailOf(n).split('@')[0]!

const cursorTime = (n: number) => new Date(Date.parse(lastDay) - (1 + (n % 300)) * 86_400_000).toISOString()

async function listDirectly(
  pool: pg.Pool,
  { warehouse }: Database,
  profile: string,
  term: SearchTerm | null,
  behind: Wanted['behind'],
) {
  const engines = { postgres: pool, clickhouse: warehouse }
  const wanted = { profile, goal: 'payment_received', ...range, behind, limit: 11 }
  await Promise.all([readList(engines, wanted, term), asProfile(pool, profile, (tx) => goalKeys(tx, profile))])
}

async function searchDirectly(pool: pg.Pool, { warehouse }: Database, profile: string, term: SearchTerm) {
  const customers = await pickCustomers(pool, profile, term, { most: 20, exclude: null })
  await Promise.all([
    warehouse.run(customerTotals, { profile, customers }),
    asProfile(pool, profile, (tx) => findCustomerProfiles(tx, profile, customers)),
    asProfile(pool, profile, (tx) => subjectsOfCustomers(tx, profile, customers)).then((subjects) =>
      readSightings(warehouse, profile, subjects),
    ),
  ])
}

/** Milliseconds of each call, the two kinds in turns, so that whatever else the machine does is done to both. */
async function timesOf({ config }: Stage, { apiKey }: BenchProfile, { path, direct }: Read, rounds: number) {
  const get = async (n: number) => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const response = await fetch(`${config.baseUrl}/api/v1${path(n)}`, { headers })
    if (!response.ok) throw new Error(`${path(n)} answered ${response.status}`)
    const { data } = (await response.json()) as { data: { events?: unknown[] } | unknown[] }
    if ((Array.isArray(data) ? data : (data.events ?? [])).length === 0) throw new Error(`${path(n)} found nothing`)
  }
  const times: { http: number[]; direct: number[] } = { http: [], direct: [] }
  for (let n = 1; n <= rounds; n++) {
    times.direct.push(1000 * (await secondsOf(() => direct(n))))
    times.http.push(1000 * (await secondsOf(() => get(n))))
  }
  return times
}
