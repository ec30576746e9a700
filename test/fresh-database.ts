import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { connectPostgres } from '../postgres/client.ts'
import { migratePostgres } from '../postgres/migrate.ts'

export interface FreshDatabase {
  url: string
  pool: pg.Pool
  drop(): Promise<void>
}

/** A migrated database of its own, for tests that look at a whole table. */
export async function freshDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const server = connectPostgres(serverUrl, { max: 1 })
  await server.query(`CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const pool = connectPostgres(url.href)
  await migratePostgres(pool)
  return {
    url: url.href,
    pool,
    drop: async () => {
      await pool.end()
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.end()
    },
  }
}
