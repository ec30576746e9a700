import type { Sql } from '../client.ts'

export interface Found {
  table: string
  column: string
  rows: number
}

export interface Sought {
  /** A pattern that matches any written form of an identifier; null when there is none to look for. */
  pattern: string | null
  /** Hashes of identifiers, as bytes. */
  hashes: Buffer[]
}

/** Where the erased key is meant to stay: receipts and tombstones (SPEC 2.5a). */
const kept = new Set(['erasures.customer_key', 'vault.value_hmac'])

/** Searches every text and every bytes column of every table with a profile, as the catalogue lists them today. */
export async function searchTenantTables(
  sql: Sql,
  profileId: string,
  { pattern, hashes }: Sought,
): Promise<{ columns: number; found: Found[] }> {
  const { rows: columns } = await sql.query<{ table: string; column: string; type: string }>(
    `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND format_type(a.atttypid, NULL) IN ('text', 'character varying', 'text[]', 'json', 'jsonb', 'bytea')
       AND EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = c.oid AND p.attname = 'profile_id')
     ORDER BY c.relname, a.attnum`,
  )
  const sought = columns.filter(({ table, column }) => !kept.has(`${table}.${column}`))
  const found: Found[] = []
  for (const [table, own] of Map.groupBy(sought, (column) => column.table)) {
    const counts = own.map(({ column, type }) => {
      const name = `"${column.replaceAll('"', '""')}"`
      return `count(*) FILTER (WHERE ${type === 'bytea' ? `${name} = ANY($3::bytea[])` : `${name}::text ~* $2::text`})::int`
    })
    const { rows } = await sql.query<{ counts: number[] }>(
      `SELECT ARRAY[${counts.join(', ')}] AS counts FROM "${table.replaceAll('"', '""')}"
       WHERE profile_id = $1 AND ($2::text IS NOT NULL OR $3::bytea[] IS NOT NULL)`,
      [profileId, pattern, hashes],
    )
    for (const [n, { column }] of own.entries()) {
      const count = rows[0]!.counts[n]!
      if (count > 0) found.push({ table, column, rows: count })
    }
  }
  return { columns: sought.length, found }
}
