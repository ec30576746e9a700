import type { Sql } from '../client.ts'

export interface Reservation {
  /** A keyed hash of the caller and its key. */
  id: Buffer
  profileId: string | undefined
  operation: string
  requestHash: Buffer
  /** Of this attempt alone: what finishes must be what holds the lease. */
  attempt: string
  leaseMs: number
}

export type Reserved =
  | { kind: 'ours' }
  | { kind: 'in_flight' }
  | { kind: 'another_request' }
  | { kind: 'answered'; answer: Buffer }

/** Takes the key for this attempt, or says what became of the one that has it. */
export async function reserve(sql: Sql, reservation: Reservation): Promise<Reserved> {
  const { id, profileId, operation, requestHash, attempt, leaseMs } = reservation
  const { rowCount } = await sql.query(
    `INSERT INTO idempotency_keys AS k (id, profile_id, operation, request_hash, attempt, leased_until, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond', now() + interval '24 hours')
     ON CONFLICT (id) DO UPDATE
       SET operation = excluded.operation, request_hash = excluded.request_hash, attempt = excluded.attempt,
           leased_until = excluded.leased_until, expires_at = excluded.expires_at, answer = NULL
       WHERE k.expires_at <= now()
          OR (k.answer IS NULL AND k.leased_until <= now()
              AND k.operation = excluded.operation AND k.request_hash = excluded.request_hash)`,
    [id, profileId ?? null, operation, requestHash, attempt, leaseMs],
  )
  if (rowCount === 1) return { kind: 'ours' }
  const { rows } = await sql.query<{ isSame: boolean; answer: Buffer | null }>(
    `SELECT operation = $2 AND request_hash = $3 AS "isSame", answer FROM idempotency_keys WHERE id = $1`,
    [id, operation, requestHash],
  )
  const [held] = rows
  if (held && !held.isSame) return { kind: 'another_request' }
  // Without a row the first attempt has failed this moment: the caller tries again.
  return held?.answer ? { kind: 'answered', answer: held.answer } : { kind: 'in_flight' }
}

/** Keeps the answer for 24 hours; false when another attempt has taken over, so that this one must not commit. */
export async function keepAnswer(sql: Sql, id: Buffer, attempt: string, answer: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE idempotency_keys SET answer = $3, expires_at = now() + interval '24 hours'
     WHERE id = $1 AND attempt = $2 AND answer IS NULL`,
    [id, attempt, answer],
  )
  return rowCount === 1
}

/** Gives the key back after a failure. An answer that was committed after all stays. */
export async function release(sql: Sql, id: Buffer, attempt: string): Promise<void> {
  await sql.query('DELETE FROM idempotency_keys WHERE id = $1 AND attempt = $2 AND answer IS NULL', [id, attempt])
}

/** At most so many rows a call, so that no sweep holds locks for long. */
export async function deleteExpiredKeys(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query(
    `DELETE FROM idempotency_keys WHERE id IN
       (SELECT id FROM idempotency_keys WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  )
  return rowCount ?? 0
}
