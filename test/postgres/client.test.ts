import { afterAll, expect, it } from 'vitest'
import { engineFailure } from '../../http/engine-failure.ts'
import { connectPostgres, transaction } from '../../postgres/client.ts'
import { config } from '../kafka.ts'

const pool = connectPostgres(config.databaseUrl)
afterAll(() => pool.end())

/** As a restart of Postgres does it, while nobody waits for an answer of that connection. */
async function cut(pid: number) {
  await pool.query('SELECT pg_terminate_backend($1, 5000)', [pid])
  await new Promise((resolve) => setTimeout(resolve, 200))
}

it('fails the transaction whose connection breaks while other work is awaited, and ends no process', async () => {
  const failure = await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await cut(rows[0]!.pid)
    await tx.query('SELECT 1')
  }).catch((error: unknown) => error)
  expect(engineFailure(failure)).toBeDefined()
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
