import type pg from 'pg'
import { evidenceOrder } from '../domain/identity-graph.ts'
import { connectPostgres } from '../postgres/client.ts'
import type { Database, Stage } from './stage.ts'

export interface Shoppers {
  profile: string
  count: number
  touchesEach: number
  /** The last day; conversions are spread over the 366 days up to it. */
  lastDay: string
}

const firstNames =
  'Maria Ana Jose Juan Pedro Eva Luis Carla Diego Sofia Pablo Elena Hugo Lucia Mateo Irene Bruno Clara Oscar Julia Raul Nora Ivan Alba Felix Rosa Marco Vera Tomas Ines Simon Laura Oliver Marta Andres Paula Martin Sara Daniel Teresa'.split(
    ' ',
  )
const lastNames =
  'Gonzalez Munoz Rojas Diaz Perez Soto Contreras Silva Martinez Sepulveda Morales Rodriguez Lopez Fuentes Hernandez Torres Araya Flores Espinoza Valenzuela Castillo Tapia Reyes Gutierrez Castro Pizarro Alvarez Vasquez Sanchez Fernandez Ramirez Carrasco Gomez Cortes Herrera Nunez Jara Vergara Rivera Figueroa Riquelme Garcia Miranda Bravo Vera Molina Vega Campos Sandoval Orellana Zuniga'.split(
    ' ',
  )

/** Of one shopper. Addresses are made of names, as people's are: a part that all of them had would be no part to find one by. */
export const emailOf = (n: number) =>
  `${firstNames[n % firstNames.length]}.${lastNames[Math.floor(n / 7) % lastNames.length]}${n}@mail${n % 50}.example`.toLowerCase()

const nameIn = (names: string, at: string) => `(${names}::text[])[1 + (${at}) % cardinality(${names}::text[])]`

// The same ids on both sides: a digest with the version and variant of a UUID, without which it is none.
const inPostgres = (kind: string, profile: string) =>
  `overlay(overlay(md5('${kind}${profile}' || n) placing '5' from 13) placing '8' from 17)::uuid`
const inClickhouse = (kind: string, profile: string, n = 'n') => {
  const digest = `lower(hex(MD5(concat('${kind}${profile}', toString(${n})))))`
  const at = (from: number, length: number) => `substring(${digest}, ${from}, ${length})`
  return `toUUID(concat(${at(1, 8)}, '-', ${at(9, 4)}, '-5', ${at(14, 3)}, '-8', ${at(18, 3)}, '-', ${at(21, 12)}))`
}

const kept = (1n << 128n) - 1n - (15n << 12n) - (3n << 126n)
const marks = (5n << 12n) | (2n << 126n)

/** For what Postgres never hears of: a hash, made a UUID by its bits. */
const cheapId = (of: string) =>
  `reinterpretAsUUID(bitOr(bitAnd(reinterpretAsUInt128(sipHash128(${of})), toUInt128('${kept}')), toUInt128('${marks}')))`

/**
 * People who came some times in one browser and bought once, as the processors leave them: names, e-mails and phones in
 * Postgres, hits, touches, a payment and its credit in ClickHouse.
 */
export async function makeShoppers(stage: Stage, database: Database, shoppers: Shoppers): Promise<void> {
  await makePeople(stage, shoppers)
  await makeFacts(database, shoppers)
}

async function makePeople({ config }: Stage, { profile, count }: Shoppers): Promise<void> {
  const pool = connectPostgres(config.databaseUrl, { max: 1 })
  try {
    const evidence = evidenceOrder(Date.UTC(2025, 0, 1), profile)
    await pool.query("SET maintenance_work_mem = '512MB'")
    // The profile is there: it need not be looked up for each of millions of rows.
    await pool.query('SET session_replication_role = replica')
    const restoreIndexes = await dropIndexes(pool, ['customers', 'identifiers', 'visitor_assignments'])
    await pool.query(
      `INSERT INTO customers (id, profile_id, first_name, last_name)
       SELECT ${inPostgres('customer', profile)}, $1, ${nameIn('$3', 'n')}, ${nameIn('$4', 'n / 7')}
       FROM generate_series(1, $2::int) AS n`,
      [profile, count, firstNames, lastNames],
    )
    const name = `lower(${nameIn('$4', 'n')} || '.' || ${nameIn('$5', 'n / 7')})`
    const values = [
      { type: 'email', value: `${name} || n || '@mail' || n % 50 || '.example'`, names: [firstNames, lastNames] },
      { type: 'phone', value: `'+569' || lpad(n::text, 8, '4')`, names: [] },
    ]
    for (const { type, value, names } of values) {
      await pool.query(
        `INSERT INTO identifiers (profile_id, token, type, value, cluster_id, customer_id, first_customer_id, first_seen)
         SELECT $1, ${inPostgres(type, profile)}, '${type}', ${value}, ${inPostgres('customer', profile)},
           ${inPostgres('customer', profile)}, ${inPostgres('customer', profile)}, $3
         FROM generate_series(1, $2::int) AS n`,
        [profile, count, evidence, ...names],
      )
    }
    await pool.query(
      `INSERT INTO visitor_assignments (profile_id, visitor_id, token, evidence)
       SELECT $1, ${inPostgres('visitor', profile)}, ${inPostgres('email', profile)}, $3
       FROM generate_series(1, $2::int) AS n`,
      [profile, count, evidence],
    )
    await restoreIndexes()
    await pool.query('SELECT count_name_words($1)', [profile])
    // As autovacuum leaves them.
    await pool.query('VACUUM (ANALYZE) customers, name_words, identifiers, visitor_assignments')
  } finally {
    await pool.end()
  }
}

/** An index over very many rows is made at once in a fraction of the time that it takes to grow with each of them. */
async function dropIndexes(pool: pg.Pool, tables: string[]): Promise<() => Promise<void>> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND NOT indisunique`,
    [tables],
  )
  for (const { name } of rows) await pool.query(`DROP INDEX ${name}`)
  return async () => {
    for (const { definition } of rows) await pool.query(definition)
  }
}

const rowsPerInsert = 200_000

async function makeFacts({ run }: Database, { profile, count, touchesEach, lastDay }: Shoppers): Promise<void> {
  const id = (kind: string, n?: string) => inClickhouse(kind, profile, n)
  const paidAt = `toDateTime64('${lastDay} 20:00:00', 3, 'UTC') - toIntervalSecond(cityHash64(n) % (366 * 86400))`
  const touchTimes = `arrayMap(i -> ${paidAt} - toIntervalHour(${touchesEach} - i) - toIntervalMinute(5), range(${touchesEach}))`
  const touchIds = `arrayMap(i -> ${cheapId(`n, i`)}, range(${touchesEach}))`
  const channels = `arrayMap(i -> ['paid_social', 'direct', 'organic_search', 'paid_search'][1 + (n + i) % 4], range(${touchesEach}))`
  // A digest for each person, not for each of their visits.
  const people = (from: number, size: number) =>
    `(SELECT number + 1 + ${from} AS n, ${id('visitor')} AS visitor FROM numbers(${Math.min(size, count - from)}))`
  const fill = async (table: string, columns: string, select: string, size = rowsPerInsert) => {
    for (let from = 0; from < count; from += size) {
      await run(
        `INSERT INTO ${table} (profile_id, ${columns}) SELECT '${profile}', ${select} FROM ${people(from, size)}`,
      )
    }
  }
  await run(
    `INSERT INTO profiles (profile_id, reporting_currency, timezone, version) VALUES ('${profile}', 'USD', 'UTC', 1)`,
  )
  for (const subject of ['visitor', 'email']) {
    await fill('identity_map', 'subject_id, customer_id, version', `${id(subject)}, ${id('customer')}, 1`)
  }
  const visit = `arrayJoin(arrayZip(${touchIds}, ${touchTimes}, ${channels})) AS visit`
  const fewer = Math.round(rowsPerInsert / touchesEach)
  await fill(
    'hits',
    'subject_id, event_id, event_time, channel, event_type, received_at, url, path, signature, device, version',
    `visitor, (${visit}).1, visit.2, visit.3, 'page_view', visit.2, 'https://shop.example/p/1', '/p/1', visit.3, 'mobile', 1`,
    fewer,
  )
  await fill(
    'touches',
    'subject_id, touch_id, touch_time, channel, is_direct, content_hash, version',
    `visitor, (${visit}).1, visit.2, visit.3, visit.3 = 'direct', 1, 1`,
    fewer,
  )
  await fill(
    'outcomes',
    `outcome_id, conversion_id, subject_id, source, event_type, occurred_at, received_at, amount_minor, refunded_minor,
     currency, version`,
    `${id('outcome')}, ${id('conversion')}, ${id('email')}, 'server', 'payment_received', ${paidAt} AS at, at, 4990, 0, 'USD', 1`,
  )
  const weights = `arrayMap(i -> toUInt32(1e9 / ${touchesEach}), range(${touchesEach}))`
  await fill(
    'credits',
    `conversion_id, outcome_id, customer_id, conversion_type, revenue_type, is_eligible, occurred_at, day, amount_minor,
     currency, net_minor, touch_ids, touch_times, channels, sources, directs, last_touch, first_touch, linear, time_decay,
     last_non_direct, position_based, content_hash, version`,
    `${id('conversion')}, ${id('outcome')}, ${id('customer')}, 'payment_received', 'cash', true, ${paidAt} AS at, toDate(at),
     4990, 'USD', 4990, ${touchIds}, ${touchTimes}, ${channels} AS through, through, arrayMap(c -> c = 'direct', through),
     ${weights} AS w, w, w, w, w, w, 1, 1`,
    fewer,
  )
  await fill('customer_conversions', 'customer_id, conversion_id', `${id('customer')}, ${id('conversion')}`)
  await fill(
    'goal_conversions',
    'conversion_type, newest_first, conversion_id, customer_id, day, version',
    `'payment_received', -toUnixTimestamp64Milli(${paidAt} AS at), ${id('conversion')}, ${id('customer')}, toDate(at), 1`,
  )
}

/** Ids of some of them, spread over all. */
export async function someCustomers(warehouse: Database, profile: string, count: number): Promise<string[]> {
  const rows = await warehouse.rows<{ id: string }>(
    `SELECT DISTINCT toString(customer_id) AS id FROM customer_conversions
     WHERE profile_id = '${profile}' ORDER BY cityHash64(customer_id) LIMIT ${count}`,
  )
  return rows.map(({ id }) => id)
}
