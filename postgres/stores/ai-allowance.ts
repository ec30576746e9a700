import type pg from 'pg'
import { type Sql, transaction } from '../client.ts'

/** Longer than a call may take: one that never comes back frees its unit after this. */
const reservationSeconds = 90

export type Reserved = { kind: 'reserved'; id: string } | { kind: 'spent' }

/**
 * Holds one unit of what a workspace may spend on the day, or says that nothing is left. Units that are held count, so
 * that calls at the same time never spend more than there is.
 */
export const reserveUnit = (pool: pg.Pool, workspaceId: string, now: Date): Promise<Reserved> =>
  transaction(pool, async (tx) => {
    const day = now.toISOString().slice(0, 10)
    // The row of the day is what concurrent calls wait for.
    const { rows } = await tx.query<{ used: number }>(
      `INSERT INTO ai_days AS d (workspace_id, day) VALUES ($1, $2)
       ON CONFLICT (workspace_id, day) DO UPDATE SET used = d.used RETURNING used`,
      [workspaceId, day],
    )
    await tx.query('DELETE FROM ai_reservations WHERE workspace_id = $1 AND day = $2 AND expires_at <= now()', [
      workspaceId,
      day,
    ])
    const { rows: reserved } = await tx.query<{ id: string }>(
      `INSERT INTO ai_reservations (workspace_id, day, expires_at)
       SELECT $1, $2, now() + make_interval(secs => $4)
       WHERE $3 + (SELECT count(*) FROM ai_reservations WHERE workspace_id = $1 AND day = $2)
         < (SELECT daily_ai_allowance FROM workspaces WHERE id = $1)
       RETURNING id`,
      [workspaceId, day, rows[0]!.used, reservationSeconds],
    )
    return reserved[0] ? { kind: 'reserved', id: reserved[0].id } : { kind: 'spent' }
  })

/** Spends the held unit in the caller's transaction; false when it was held for too long and is free again. */
export async function spendUnit(tx: pg.PoolClient, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH held AS (
       DELETE FROM ai_reservations WHERE id = $1 AND expires_at > now() RETURNING workspace_id, day)
     UPDATE ai_days d SET used = d.used + 1 FROM held h WHERE d.workspace_id = h.workspace_id AND d.day = h.day`,
    [id],
  )
  return rowCount === 1
}

/** Gives the held unit back. */
export async function releaseUnit(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM ai_reservations WHERE id = $1', [id])
}
