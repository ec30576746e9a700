import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'

const folder = join(import.meta.dirname, 'migrations')

/** Applies the numbered migrations that a generation lacks. Statements can be run again after a crash in between. */
export async function migrateClickhouse(url: string, database: string): Promise<string[]> {
  const client = createClient({ url, log: { level: ClickHouseLogLevel.OFF } })
  try {
    const run = (query: string) => client.command({ query, http_headers: { 'x-clickhouse-database': database } })
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` })
    await run(
      `CREATE TABLE IF NOT EXISTS migrations (name String, applied_at DateTime DEFAULT now())
       ENGINE = ReplacingMergeTree ORDER BY name COMMENT 'Migrations that this generation has'`,
    )
    const applied = await appliedInClickhouse(client, database)
    const missing = clickhouseMigrations().filter((name) => !applied.has(name))
    for (const name of missing) {
      for (const statement of statements(readFileSync(join(folder, name), 'utf8'))) await run(statement)
      await run(`INSERT INTO migrations (name) VALUES ('${name}')`)
    }
    return missing
  } finally {
    await client.close()
  }
}

export async function appliedInClickhouse(client: ClickHouseClient, database: string): Promise<Set<string>> {
  const query = `SELECT DISTINCT name FROM ${database}.migrations`
  const result = await client.query({ query, format: 'JSONEachRow' })
  return new Set((await result.json<{ name: string }>()).map((row) => row.name))
}

export const clickhouseMigrations = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** A statement ends with a semicolon at the end of a line. */
const statements = (sql: string): string[] =>
  sql
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
