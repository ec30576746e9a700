import type pg from 'pg'
import { loadConfig } from '../infra/config.ts'
import { connectPostgres } from '../postgres/client.ts'
import { migratePostgres } from '../postgres/migrate.ts'

// Vitest sets a BASE_URL of its own.
const config = loadConfig({ ...process.env, BASE_URL: '' })

export const serverUrl = config.databaseUrl

export async function openPostgres(): Promise<pg.Pool> {
  const pool = connectPostgres(config.databaseUrl)
  await migratePostgres(pool)
  return pool
}

/** A profile of its own in a workspace of its own: nothing of another test is seen from it. */
export async function createProfile(pool: pg.Pool, { currency = 'USD' } = {}): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('test') RETURNING id)
     INSERT INTO profiles (workspace_id, name, reporting_currency) SELECT id, 'test', $1 FROM w RETURNING id`,
    [currency],
  )
  return rows[0]!.id
}
