import type pg from 'pg'
import { type Sql, transaction } from '../client.ts'
import { forgetSubjectRefs, type HeldRef } from './erased-payers.ts'
import { eraseHookPayloads } from './hook-deliveries.ts'
import { erasePersonalCopies } from './personal-copies.ts'

export interface QueuedErasure {
  id: string
  profileId: string
  search: Buffer
}

/** How long whoever took an erasure is left alone with it; after a crash it is taken up again. */
const leaseSeconds = 60
const slowestRetrySeconds = 3600

/** The erasures of one profile that have waited longest; one pass over its rows serves them all. */
export async function takeErasures(pool: pg.Pool, limit: number): Promise<QueuedErasure[]> {
  const { rows } = await pool.query<QueuedErasure>(
    `WITH due AS (
       SELECT a.erasure_id, a.profile_id, e.requested_at FROM erasures e JOIN erasure_audits a ON a.erasure_id = e.id
       WHERE e.completed_at IS NULL AND a.next_attempt_at <= now()
     ), taken AS (
       SELECT a.erasure_id FROM erasure_audits a JOIN due USING (erasure_id)
       WHERE a.profile_id = (SELECT profile_id FROM due ORDER BY requested_at, erasure_id LIMIT 1)
       ORDER BY due.requested_at LIMIT $1 FOR UPDATE OF a SKIP LOCKED
     )
     UPDATE erasure_audits a SET attempts = attempts + 1, next_attempt_at = now() + $2 * interval '1 second'
     FROM taken WHERE a.erasure_id = taken.erasure_id
     RETURNING a.erasure_id AS id, a.profile_id AS "profileId", a.search`,
    [limit, leaseSeconds],
  )
  return rows
}

/** Whether the warehouse knows every subject of these tokens as Postgres does. */
export async function isPublished(sql: Sql, profileId: string, tokens: readonly string[]): Promise<boolean> {
  const { rows } = await sql.query<{ waits: boolean }>(
    `SELECT EXISTS (SELECT FROM identity_changes WHERE profile_id = $1 AND subject_id = ANY($2::uuid[])) AS waits`,
    [profileId, tokens],
  )
  return !rows[0]!.waits
}

/** Erases again what any process may have written about them meanwhile. */
export async function eraseLeftovers(
  pool: pg.Pool,
  profileId: string,
  person: { customerIds: readonly string[]; tokens: readonly string[]; subjectRefs: readonly HeldRef[] },
): Promise<void> {
  await transaction(pool, async (tx) => {
    await erasePersonalCopies(tx, profileId, person.customerIds)
    await eraseHookPayloads(tx, profileId, person.tokens)
    await forgetSubjectRefs(tx, profileId, person.subjectRefs)
  })
}

/** Tokens whose sealed values could still be opened. */
export async function countOpenTokens(sql: Sql, profileId: string, tokens: readonly string[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM vault WHERE profile_id = $1 AND token = ANY($2::uuid[])',
    [profileId, tokens],
  )
  return rows[0]!.count
}

/** Which of the vault's hashes belong to somebody again, who came with the same value after the erasure. */
export async function returnedHashes(sql: Sql, profileId: string, hashes: readonly Buffer[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ hash: string }>(
    `SELECT encode(value_hmac, 'hex') AS hash FROM vault
     WHERE profile_id = $1 AND value_hmac = ANY($2) AND erasure_id IS NULL`,
    [profileId, hashes],
  )
  return new Set(rows.map(({ hash }) => hash))
}

/** Counts and names of stores and columns; never a value. */
export type AuditResult = Record<string, unknown>

export async function completeErasures(pool: pg.Pool, ids: readonly string[], result: AuditResult): Promise<void> {
  await pool.query(
    `WITH audited AS (
       UPDATE erasure_audits SET search = NULL, checked_at = now(), result = $2
       WHERE erasure_id = ANY($1::uuid[]) RETURNING erasure_id)
     UPDATE erasures e SET completed_at = now() FROM audited a WHERE e.id = a.erasure_id AND e.completed_at IS NULL`,
    [ids, result],
  )
}

/** Something was found, or is not there yet: the next attempt comes later each time. */
export async function postponeErasures(
  pool: pg.Pool,
  ids: readonly string[],
  result: AuditResult | null,
): Promise<void> {
  await pool.query(
    `UPDATE erasure_audits SET checked_at = CASE WHEN $2::jsonb IS NULL THEN checked_at ELSE now() END,
       result = coalesce($2, result),
       next_attempt_at = now() + least($3, power(2, least(attempts, 20)) / 2) * interval '1 second'
     WHERE erasure_id = ANY($1::uuid[])`,
    [ids, result, slowestRetrySeconds],
  )
}
