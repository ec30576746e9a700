import { formatApiKey, hashSecret, isApiKeyId, mintApiKey } from '../../domain/api-keys.ts'
import type { Profile } from '../../domain/credentials.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Sql } from '../client.ts'
import { isLive, type ProfileColumns, profileColumns, toProfile } from './profile-row.ts'

export interface NewApiKey {
  profileId: string
  scopes: readonly Scope[]
  appId?: string | undefined
  name?: string | undefined
  createdBy?: string | undefined
  rateLimitPerMinute?: number | undefined
  expiresAt?: Date | undefined
}

/** A key as its owner sees it; nobody sees its secret again. */
export interface ApiKey {
  id: string
  appId: string | null
  name: string | null
  scopes: string[]
  rateLimitPerMinute: number
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
  rotatedTo: string | null
}

export interface StoredApiKey extends ApiKey {
  secretHash: Buffer
  /** What the app may do on the profile now; nothing when no grant was ever written down. */
  grantedScopes: string[] | null
  profile: Profile
}

export const defaultRateLimitPerMinute = 300

/** The only moment at which the whole key exists; afterwards nobody can show it again. */
export async function createApiKey(sql: Sql, key: NewApiKey): Promise<{ keyId: string; key: string; stored: ApiKey }> {
  const parts = mintApiKey()
  const { rows } = await sql.query<Row>(
    `INSERT INTO api_keys AS k (id, profile_id, app_id, secret_hash, scopes, rate_limit_per_minute, expires_at, name, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${keyColumns}`,
    [
      parts.id,
      key.profileId,
      key.appId ?? null,
      hashSecret(parts.secret),
      key.scopes,
      key.rateLimitPerMinute ?? defaultRateLimitPerMinute,
      key.expiresAt ?? null,
      key.name ?? null,
      key.createdBy ?? null,
    ],
  )
  return { keyId: parts.id, key: formatApiKey(parts), stored: toKey(rows[0]!) }
}

interface Row {
  id: string
  app_id: string | null
  name: string | null
  scopes: string[]
  rate_limit_per_minute: number
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
  rotated_to: string | null
}

const keyColumns = `k.id, k.app_id, k.name, k.scopes, k.rate_limit_per_minute, k.created_at, k.expires_at,
  k.last_used_at, k.revoked_at, k.rotated_to`

const toKey = (row: Row): ApiKey => ({
  id: row.id,
  appId: row.app_id,
  name: row.name,
  scopes: row.scopes,
  rateLimitPerMinute: row.rate_limit_per_minute,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  rotatedTo: row.rotated_to,
})

/** The key with the profile it is bound to; an archived profile has no keys, nor has an app whose grant has ended. */
export async function findApiKey(sql: Sql, id: string): Promise<StoredApiKey | undefined> {
  const { rows } = await sql.query<Row & ProfileColumns & { secret_hash: Buffer; granted_scopes: string[] | null }>(
    `SELECT ${keyColumns}, k.secret_hash, g.scopes AS granted_scopes, ${profileColumns}
     FROM api_keys k JOIN profiles p ON p.id = k.profile_id JOIN workspaces w ON w.id = p.workspace_id
       LEFT JOIN apps a ON a.id = k.app_id
       LEFT JOIN grants g ON g.profile_id = k.profile_id AND g.app_id = k.app_id
     WHERE k.id = $1 AND ${isLive} AND a.revoked_at IS NULL AND g.revoked_at IS NULL`,
    [id],
  )
  const [row] = rows
  return (
    row && { ...toKey(row), secretHash: row.secret_hash, grantedScopes: row.granted_scopes, profile: toProfile(row) }
  )
}

/** Newest first; of one app alone when it is named. Those that ended long ago are not shown. */
export async function listApiKeys(sql: Sql, profileId: string, appId: string | null): Promise<ApiKey[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${keyColumns} FROM api_keys k
     WHERE k.profile_id = $1 AND ($2::uuid IS NULL OR k.app_id = $2)
       AND (k.revoked_at IS NULL OR k.revoked_at > now() - interval '30 days')
       AND (k.expires_at IS NULL OR k.expires_at > now() - interval '30 days')
     ORDER BY k.created_at DESC, k.id LIMIT 1000`,
    [profileId, appId],
  )
  return rows.map(toKey)
}

/** Locked until the transaction ends. Nothing when the profile has no such live key, or it is not of the named app. */
export async function holdApiKey(
  sql: Sql,
  profileId: string,
  id: string,
  appId: string | null,
): Promise<ApiKey | undefined> {
  if (!isApiKeyId(id)) return undefined
  const { rows } = await sql.query<Row>(
    `SELECT ${keyColumns} FROM api_keys k
     WHERE k.id = $1 AND k.profile_id = $2 AND ($3::uuid IS NULL OR k.app_id = $3)
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) FOR UPDATE`,
    [id, profileId, appId],
  )
  return rows[0] && toKey(rows[0])
}

/** The old key gives way: at once, or when the overlap is over, but never later than it would have ended anyway. */
export async function giveWay(sql: Sql, id: string, successor: string, overlapSeconds: number): Promise<void> {
  await sql.query(
    `UPDATE api_keys SET rotated_to = $2,
       revoked_at = CASE WHEN $3::int = 0 THEN now() END,
       expires_at = least(expires_at, now() + make_interval(secs => $3::int))
     WHERE id = $1`,
    [id, successor, overlapSeconds],
  )
}

/** False when the profile has no such live key. */
export async function revokeApiKey(sql: Sql, profileId: string, id: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND profile_id = $2 AND revoked_at IS NULL',
    [id, profileId],
  )
  return rowCount === 1
}

/** Coarse on purpose: one write a minute and key, not one a request. */
export async function touchApiKey(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [id],
  )
}
