import type pg from 'pg'
import { transaction } from '../client.ts'

export interface Found {
  table: string
  column: string
  rows: number
}

export interface Sought {
  /** Whether a text holds any written form of an identifier. */
  isFound: (text: string) => boolean
  /** Hashes of identifiers, as bytes. */
  hashes: Buffer[]
}

interface Column {
  table: string
  column: string
  type: string
}

/** Where the erased key is meant to stay: receipts, whose ref may hold it, and tombstones (SPEC 2.5a). */
const kept = new Set(['erasures.customer_key', 'erasures.request_ref', 'vault.value_hmac'])
const rowsPerFetch = 5000

/** Searches every text and every bytes column of every table with a profile, as the catalogue lists them today. */
export async function searchTenantTables(
  pool: pg.Pool,
  profileId: string,
  sought: Sought,
): Promise<{ columns: number; found: Found[] }> {
  const { rows } = await pool.query<Column>(
    `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND format_type(a.atttypid, NULL) IN ('text', 'character varying', 'text[]', 'json', 'jsonb', 'bytea')
       AND EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = c.oid AND p.attname = 'profile_id')
     ORDER BY c.relname, a.attnum`,
  )
  const columns = rows.filter(({ table, column }) => !kept.has(`${table}.${column}`))
  const found: Found[] = []
  for (const own of Map.groupBy(columns, ({ table }) => table).values()) {
    const counts = await transaction(pool, (tx) => searchTable(tx, profileId, own, sought))
    for (const [n, { table, column }] of own.entries()) {
      if (counts[n]! > 0) found.push({ table, column, rows: counts[n]! })
    }
  }
  return { columns: columns.length, found }
}

/**
 * Reads the profile's rows in portions and looks at their texts here: a pattern of all that is sought would take Postgres
 * a thousand times as long.
 */
async function searchTable(
  tx: pg.PoolClient,
  profileId: string,
  columns: Column[],
  { isFound, hashes }: Sought,
): Promise<number[]> {
  const counts = columns.map(() => 0)
  const selected = columns.map(({ column, type }, n) =>
    type === 'bytea'
      ? `coalesce(${quoted(column)} = ANY($2::bytea[]), false) AS c${n}`
      : `${quoted(column)}::text AS c${n}`,
  )
  await tx.query(
    `DECLARE searched NO SCROLL CURSOR FOR SELECT ${selected.join(', ')} FROM ${quoted(columns[0]!.table)}
     WHERE profile_id = $1 AND $2::bytea[] IS NOT NULL`,
    [profileId, hashes],
  )
  for (;;) {
    const { rows } = await tx.query<(string | boolean | null)[]>({
      text: `FETCH ${rowsPerFetch} FROM searched`,
      rowMode: 'array',
    })
    for (const row of rows) {
      for (const [n, value] of row.entries()) {
        if (value === true || (typeof value === 'string' && isFound(value))) counts[n]!++
      }
    }
    if (rows.length < rowsPerFetch) return counts
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
