import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import type { Sql } from './client.ts'
import { lockIds } from './lock-ids.ts'

const folder = join(import.meta.dirname, 'migrations')

/** Applies the numbered migrations that are missing, each in its transaction, one process at a time. */
export async function migratePostgres(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockIds.migration])
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    )
    const applied = await appliedInPostgres(client)
    const missing = postgresMigrations().filter((name) => !applied.has(name))
    for (const name of missing) {
      await client.query('BEGIN')
      await client.query(readFileSync(join(folder, name), 'utf8'))
      await client.query('INSERT INTO migrations (name) VALUES ($1)', [name])
      await client.query('COMMIT')
    }
    return missing
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lockIds.migration]).catch(() => {})
    client.release()
  }
}

export async function appliedInPostgres(sql: Sql): Promise<Set<string>> {
  const { rows } = await sql.query<{ name: string }>('SELECT name FROM migrations')
  return new Set(rows.map((row) => row.name))
}

export const postgresMigrations = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
