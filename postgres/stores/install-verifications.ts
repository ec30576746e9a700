import type pg from 'pg'
import type { Sql } from '../client.ts'

export interface InstallCheck {
  key: string
  status: 'pass' | 'warn' | 'fail'
  message: string
}

export interface InstallVerification {
  id: string
  url: string
  status: 'running' | 'passed' | 'failed'
  checks: InstallCheck[]
  startedAt: Date
  finishedAt: Date | null
}

interface Row {
  id: string
  url: string
  status: InstallVerification['status']
  checks: InstallCheck[]
  started_at: Date
  finished_at: Date | null
}

const columns = 'id, url, status, checks, started_at, finished_at'
// Longer than a look can take: its process has ended.
const lost = "status = 'running' AND started_at < now() - interval '2 minutes'"

const toVerification = ({ started_at, finished_at, ...row }: Row): InstallVerification => ({
  ...row,
  startedAt: started_at,
  finishedAt: finished_at,
})

/** Starts one, unless as many run as may at once; only the newest are kept. */
export async function startVerification(
  tx: pg.PoolClient,
  profileId: string,
  url: string,
  mostAtOnce: number,
): Promise<InstallVerification | undefined> {
  // One start of a profile at a time: nobody counts what another has not committed yet.
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('install-verifications/' || $1, 0))", [profileId])
  if ((await countRunning(tx, profileId)) >= mostAtOnce) return undefined
  const { rows } = await tx.query<Row>(
    `WITH old AS (
       DELETE FROM install_verifications WHERE id IN (
         SELECT id FROM install_verifications WHERE profile_id = $1 ORDER BY started_at DESC, id OFFSET 49))
     INSERT INTO install_verifications (profile_id, url) VALUES ($1, $2) RETURNING ${columns}`,
    [profileId, url],
  )
  return toVerification(rows[0]!)
}

export async function finishVerification(
  sql: Sql,
  profileId: string,
  id: string,
  verdict: { status: 'passed' | 'failed'; checks: InstallCheck[] },
): Promise<void> {
  await sql.query(
    `UPDATE install_verifications SET status = $3, checks = $4, finished_at = now() WHERE id = $1 AND profile_id = $2`,
    [id, profileId, verdict.status, JSON.stringify(verdict.checks)],
  )
}

export async function latestVerification(sql: Sql, profileId: string): Promise<InstallVerification | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT id, url, CASE WHEN ${lost} THEN 'failed' ELSE status END AS status, checks, started_at, finished_at
     FROM install_verifications WHERE profile_id = $1 ORDER BY started_at DESC, id LIMIT 1`,
    [profileId],
  )
  return rows[0] && toVerification(rows[0])
}

async function countRunning(sql: Sql, profileId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM install_verifications
     WHERE profile_id = $1 AND status = 'running' AND NOT (${lost})`,
    [profileId],
  )
  return rows[0]!.count
}
