import pg from 'pg'

export type Sql = pg.Pool | pg.PoolClient

/** A pool whose calls fail within two seconds when Postgres is away, so that no request hangs. */
export function connectPostgres(url: string, options: { max?: number } = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: options.max ?? 10, connectionTimeoutMillis: 2000 })
  // A connection that breaks is replaced on the next call, and fails the next of whoever holds it; without listeners, on
  // the pool for idle ones and on each for the time that it is held, it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export async function transaction<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect()
  let broken: Error | undefined
  try {
    await tx.query('BEGIN')
    const result = await work(tx)
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK').catch((failed: Error) => {
      broken = failed
    })
    throw error
  } finally {
    tx.release(broken)
  }
}
