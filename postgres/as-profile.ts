import type pg from 'pg'
import { transaction } from './client.ts'

/**
 * Runs the work as the serving role, for which row-level security shows the rows of one profile only.
 * Both settings end with the transaction, so that the connection goes back to the pool as it came.
 */
export const asProfile = <T>(pool: pg.Pool, profileId: string, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> =>
  transaction(pool, async (tx) => {
    await tx.query("SELECT set_config('role', 'touchline_serving', true), set_config('touchline.profile', $1, true)", [
      profileId,
    ])
    return work(tx)
  })
