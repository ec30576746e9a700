import { hashSecret } from '../../domain/api-keys.ts'
import { randomText } from '../../domain/random-text.ts'
import type { Sql } from '../client.ts'

export const sessionDays = 14
const idleHours = 24
const secretLength = 43
const secretShape = new RegExp(`^[0-9A-Za-z]{${secretLength}}$`)

/** What cannot be one costs no look-up. */
export const isSessionSecret = (text: string): boolean => secretShape.test(text)

export interface Session {
  id: string
  userId: string
  lastSeenAt: Date
  expiresAt: Date
}

interface Row {
  id: string
  user_id: string
  last_seen_at: Date
  expires_at: Date
}

const toSession = (row: Row): Session => ({
  id: row.id,
  userId: row.user_id,
  lastSeenAt: row.last_seen_at,
  expiresAt: row.expires_at,
})

/** The secret goes into the cookie and is known to nobody else. What has ended long ago goes, a few rows at a time. */
export async function openSession(sql: Sql, userId: string): Promise<{ session: Session; secret: string }> {
  const secret = randomText(secretLength)
  const { rows } = await sql.query<Row>(
    `WITH swept AS (
       DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < now() - interval '1 day' LIMIT 100)
     )
     INSERT INTO sessions (secret_hash, user_id, expires_at) VALUES ($1, $2, now() + make_interval(days => $3))
     RETURNING id, user_id, last_seen_at, expires_at`,
    [hashSecret(secret), userId, sessionDays],
  )
  return { session: toSession(rows[0]!), secret }
}

/** A session that is neither over, nor ended, nor forgotten for a day. */
export async function findSession(sql: Sql, secret: string): Promise<Session | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT id, user_id, last_seen_at, expires_at FROM sessions
     WHERE secret_hash = $1 AND revoked_at IS NULL AND expires_at > now()
       AND last_seen_at > now() - make_interval(hours => $2)`,
    [hashSecret(secret), idleHours],
  )
  return rows[0] && toSession(rows[0])
}

/** Coarse on purpose, as with keys. */
export async function touchSession(sql: Sql, id: string): Promise<void> {
  await sql.query(
    "UPDATE sessions SET last_seen_at = now() WHERE id = $1 AND last_seen_at < now() - interval '1 minute'",
    [id],
  )
}

export async function endSession(sql: Sql, id: string): Promise<void> {
  await sql.query('UPDATE sessions SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL', [id])
}

/** All of a person, but for one that may stay. */
export async function endSessionsOf(sql: Sql, userId: string, except?: string): Promise<void> {
  await sql.query(
    'UPDATE sessions SET revoked_at = now() WHERE user_id = $1 AND id IS DISTINCT FROM $2::uuid AND revoked_at IS NULL',
    [userId, except ?? null],
  )
}
