import type pg from 'pg'
import { transaction } from './client.ts'

/**
 * Runs the work as the serving role, for which row-level security shows the rows of one profile only.
 * Both settings end with the transaction, so that the connection goes back to the pool as it came.
 */
export const asProfile = <T>(pool: pg.Pool, profileId: string, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> =>
  transaction(pool, async (tx) => {
    await serveProfile(tx, profileId)
    return work(tx)
  })

/** From here to its end the transaction sees one profile. */
export async function serveProfile(tx: pg.PoolClient, profileId: string): Promise<void> {
  await tx.query("SELECT set_config('role', 'touchline_serving', true), set_config('touchline.profile', $1, true)", [
    profileId,
  ])
}

/** The rest of the transaction is the service's own again. */
export async function serveNobody(tx: pg.PoolClient): Promise<void> {
  await tx.query("SELECT set_config('role', 'none', true), set_config('touchline.profile', '', true)")
}
