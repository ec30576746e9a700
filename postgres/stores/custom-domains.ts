import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { isUuid } from '../../domain/ids.ts'
import { randomText } from '../../domain/random-text.ts'
import type { Sql } from '../client.ts'
import { within } from '../within.ts'

export interface DomainCheck {
  record: 'TXT' | 'CNAME'
  name: string
  expected: string
  found: string[]
  ok: boolean
}

export interface CustomDomain {
  id: string
  host: string
  token: string
  status: 'pending' | 'verified' | 'failed'
  checks: DomainCheck[]
  checkedAt: Date | null
  createdAt: Date
}

interface Row {
  id: string
  host: string
  token: string
  status: CustomDomain['status']
  checks: DomainCheck[]
  checked_at: Date | null
  created_at: Date
}

const columns = 'id, host, token, status, checks, checked_at, created_at'

const toDomain = ({ checked_at, created_at, ...row }: Row): CustomDomain => ({
  ...row,
  checkedAt: checked_at,
  createdAt: created_at,
})

export async function listCustomDomains(sql: Sql, profileId: string): Promise<CustomDomain[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM custom_domains WHERE profile_id = $1 ORDER BY created_at, id`,
    [profileId],
  )
  return rows.map(toDomain)
}

export async function findCustomDomain(sql: Sql, profileId: string, id: string): Promise<CustomDomain | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<Row>(`SELECT ${columns} FROM custom_domains WHERE id = $1 AND profile_id = $2`, [
    id,
    profileId,
  ])
  return rows[0] && toDomain(rows[0])
}

/** The profile's claim on the host, or the one that there is; nothing when it holds as many as it may. */
export async function registerCustomDomain(
  tx: pg.PoolClient,
  profileId: string,
  host: string,
  mostDomains: number,
): Promise<{ domain: CustomDomain; isNew: boolean } | undefined> {
  // One claim of a profile at a time: a statement does not count what others insert meanwhile.
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('custom-domains/' || $1, 0))", [profileId])
  const { rows } = await tx.query<Row & { is_new: boolean }>(
    `WITH known AS (SELECT ${columns} FROM custom_domains WHERE profile_id = $1 AND host = $2),
          made AS (
            INSERT INTO custom_domains (profile_id, host, token)
            SELECT $1, $2, $3 WHERE (SELECT count(*) FROM custom_domains WHERE profile_id = $1) < $4
            ON CONFLICT (profile_id, host) DO NOTHING RETURNING ${columns})
     SELECT *, true AS is_new FROM made UNION ALL SELECT *, false FROM known`,
    [profileId, host, randomText(32), mostDomains],
  )
  if (!rows[0]) return undefined
  const { is_new: isNew, ...domain } = rows[0]
  return { domain: toDomain(domain), isNew }
}

export async function removeCustomDomain(sql: Sql, profileId: string, id: string): Promise<CustomDomain | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<Row>(
    `DELETE FROM custom_domains WHERE id = $1 AND profile_id = $2 RETURNING ${columns}`,
    [id, profileId],
  )
  return rows[0] && toDomain(rows[0])
}

/** Keeps a verdict. A host that another profile holds verified stays theirs: the unique index decides. */
export async function judgeCustomDomain(
  sql: Sql,
  profileId: string,
  id: string,
  verdict: { status: CustomDomain['status']; checks: DomainCheck[] },
): Promise<CustomDomain | 'held_by_another' | undefined> {
  try {
    const { rows } = await sql.query<Row>(
      `UPDATE custom_domains SET status = $3, checks = $4, checked_at = now(),
         verified_at = CASE WHEN $3 = 'verified' THEN coalesce(verified_at, now()) END
       WHERE id = $1 AND profile_id = $2 RETURNING ${columns}`,
      [id, profileId, verdict.status, JSON.stringify(verdict.checks)],
    )
    return rows[0] && toDomain(rows[0])
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return 'held_by_another'
    throw error
  }
}

/** Takes a verified host from a holder whose record is no longer among the zone's texts. Across profiles, so as nobody. */
export async function releaseCustomDomain(
  pool: pg.Pool,
  host: string,
  texts: readonly string[],
  textPrefix: string,
): Promise<void> {
  await pool.query(
    `UPDATE custom_domains SET status = 'failed', verified_at = NULL, checked_at = now()
     WHERE host = $1 AND status = 'verified' AND NOT ($3 || token) = ANY ($2)`,
    [host, texts, textPrefix],
  )
}

/** The host under which the profile is tracked: the one that has been verified for the longest time. */
export async function trackedHost(sql: Sql, profileId: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ host: string }>(
    `SELECT host FROM custom_domains WHERE profile_id = $1 AND status = 'verified' ORDER BY verified_at, id LIMIT 1`,
    [profileId],
  )
  return rows[0]?.host
}

/** Whose verified domain a host is; nobody's, and it is not served. */
export type DomainOwner = (host: string) => Promise<string | undefined>

/** On the collector's hot path: a verdict is noticed within seconds, and one is enough while Postgres is away. */
export function domainOwners(pool: pg.Pool, { freshMs = 3_000, staleMs = 300_000, timeoutMs = 700 } = {}): DomainOwner {
  const known = new LRUCache<string, { owner: string | undefined; readAt: number }>({ max: 10_000 })
  return async (host) => {
    const cached = known.get(host)
    if (cached && Date.now() - cached.readAt < freshMs) return cached.owner
    try {
      const { rows } = await within(
        timeoutMs,
        pool.query<{ profile_id: string }>({
          text: `SELECT d.profile_id FROM custom_domains d JOIN profiles p ON p.id = d.profile_id
                 WHERE d.host = $1 AND d.status = 'verified' AND p.archived_at IS NULL`,
          values: [host],
          query_timeout: timeoutMs,
        } as pg.QueryConfig),
      )
      known.set(host, { owner: rows[0]?.profile_id, readAt: Date.now() })
      return rows[0]?.profile_id
    } catch (error) {
      if (cached?.owner && Date.now() - cached.readAt < staleMs) return cached.owner
      throw error
    }
  }
}
