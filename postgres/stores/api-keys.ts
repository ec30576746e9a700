import { formatApiKey, hashSecret, mintApiKey } from '../../domain/api-keys.ts'
import type { PrivacyMode, Profile } from '../../domain/credentials.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Sql } from '../client.ts'

export interface NewApiKey {
  profileId: string
  scopes: readonly Scope[]
  appId?: string | undefined
  rateLimitPerMinute?: number | undefined
  expiresAt?: Date | undefined
}

export interface StoredApiKey {
  id: string
  appId: string | null
  secretHash: Buffer
  scopes: string[]
  rateLimitPerMinute: number
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
  profile: Profile
}

export const defaultRateLimitPerMinute = 300

/** The only moment at which the whole key exists; afterwards nobody can show it again. */
export async function createApiKey(sql: Sql, key: NewApiKey): Promise<{ keyId: string; key: string }> {
  const parts = mintApiKey()
  await sql.query(
    `INSERT INTO api_keys (id, profile_id, app_id, secret_hash, scopes, rate_limit_per_minute, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      parts.id,
      key.profileId,
      key.appId ?? null,
      hashSecret(parts.secret),
      key.scopes,
      key.rateLimitPerMinute ?? defaultRateLimitPerMinute,
      key.expiresAt ?? null,
    ],
  )
  return { keyId: parts.id, key: formatApiKey(parts) }
}

interface Row {
  id: string
  app_id: string | null
  secret_hash: Buffer
  scopes: string[]
  rate_limit_per_minute: number
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
  profile_id: string
  workspace_id: string
  reporting_currency: string
  timezone: string
  privacy_mode: PrivacyMode
  is_healthcare_agency: boolean
}

/** The key with the profile it is bound to; an archived profile has no keys. */
export async function findApiKey(sql: Sql, id: string): Promise<StoredApiKey | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT k.id, k.app_id, k.secret_hash, k.scopes, k.rate_limit_per_minute, k.expires_at, k.last_used_at,
            k.revoked_at, p.id AS profile_id, p.workspace_id, p.reporting_currency, p.timezone, p.privacy_mode,
            w.is_healthcare_agency
     FROM api_keys k JOIN profiles p ON p.id = k.profile_id JOIN workspaces w ON w.id = p.workspace_id
     WHERE k.id = $1 AND p.archived_at IS NULL`,
    [id],
  )
  const [row] = rows
  return row && toStoredKey(row)
}

const toStoredKey = (row: Row): StoredApiKey => ({
  id: row.id,
  appId: row.app_id,
  secretHash: row.secret_hash,
  scopes: row.scopes,
  rateLimitPerMinute: row.rate_limit_per_minute,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  profile: {
    id: row.profile_id,
    workspaceId: row.workspace_id,
    reportingCurrency: row.reporting_currency,
    timezone: row.timezone,
    privacyMode: row.privacy_mode,
    isHealthcare: row.is_healthcare_agency || row.privacy_mode !== 'standard',
  },
})

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
