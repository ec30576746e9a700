import { randomUUID } from 'node:crypto'
import type { HookSeals } from '../../domain/hooks/secrets.ts'
import { isUuid } from '../../domain/ids.ts'
import type { Sql } from '../client.ts'
import { isLive } from './profile-row.ts'

export const hookProviderNames = ['stripe', 'shopify', 'generic'] as const
export type HookProvider = (typeof hookProviderNames)[number]

export interface HookEndpoint {
  id: string
  profileId: string
  provider: HookProvider
  source: string
  createdAt: Date
  /** While it lasts, the secret before the newest still verifies. */
  previousUntil: Date | null
}

/** How long a rotation lasts unless it is ended at once. */
export const rotationHours = 24

const columns = `e.id, e.profile_id AS "profileId", e.provider, e.source, e.created_at AS "createdAt",
  CASE WHEN e.previous_until > now() THEN e.previous_until END AS "previousUntil"`

export async function createHookEndpoint(
  sql: Sql,
  seals: HookSeals,
  endpoint: { profileId: string; provider: HookProvider; source: string; secret: string },
): Promise<HookEndpoint> {
  const id = randomUUID()
  const { rows } = await sql.query<HookEndpoint>(
    `INSERT INTO hook_endpoints AS e (id, profile_id, provider, source, sealed_secret) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${columns}`,
    [id, endpoint.profileId, endpoint.provider, endpoint.source, seals.sealSecret(id, endpoint.secret)],
  )
  return rows[0]!
}

/** The profile's live endpoints, with the time of their last delivery. */
export async function listHookEndpoints(
  sql: Sql,
  profileId: string,
): Promise<(HookEndpoint & { lastDeliveryAt: Date | null })[]> {
  const { rows } = await sql.query<HookEndpoint & { lastDeliveryAt: Date | null }>(
    `SELECT ${columns}, (SELECT max(received_at) FROM hook_deliveries d WHERE d.endpoint_id = e.id) AS "lastDeliveryAt"
     FROM hook_endpoints e WHERE e.profile_id = $1 AND e.revoked_at IS NULL ORDER BY e.created_at, e.id`,
    [profileId],
  )
  return rows
}

export interface OpenedEndpoint {
  endpoint: HookEndpoint
  /** Those that verify, newest first. */
  secrets: string[]
  /** Its profile is switched off, and may be restored. */
  isArchived: boolean
}

/** For whoever calls the address. */
export async function openHookEndpoint(sql: Sql, seals: HookSeals, id: string): Promise<OpenedEndpoint | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<HookEndpoint & SealedSecrets & { isArchived: boolean }>(
    `SELECT ${columns}, e.sealed_secret AS sealed, e.sealed_previous_secret AS "sealedPrevious",
       NOT (${isLive}) AS "isArchived"
     FROM hook_endpoints e JOIN profiles p ON p.id = e.profile_id JOIN workspaces w ON w.id = p.workspace_id
     WHERE e.id = $1 AND e.revoked_at IS NULL`,
    [id],
  )
  const [row] = rows
  if (!row) return undefined
  const { sealed, sealedPrevious, isArchived, ...endpoint } = row
  const previous = sealedPrevious && endpoint.previousUntil ? [seals.openSecret(endpoint.id, sealedPrevious)] : []
  return { endpoint, secrets: [seals.openSecret(endpoint.id, sealed), ...previous], isArchived }
}

interface SealedSecrets {
  sealed: Buffer
  sealedPrevious: Buffer | null
}

/** The new secret verifies from now on, the one before for a day more, unless it is to end at once. */
export async function rotateHookSecret(
  sql: Sql,
  seals: HookSeals,
  { profileId, id, secret, isAtOnce }: { profileId: string; id: string; secret: string; isAtOnce: boolean },
): Promise<HookEndpoint | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<HookEndpoint>(
    `UPDATE hook_endpoints AS e SET sealed_secret = $3,
       sealed_previous_secret = CASE WHEN $4 THEN NULL ELSE sealed_secret END,
       previous_until = CASE WHEN $4 THEN NULL ELSE now() + make_interval(hours => $5) END
     WHERE e.profile_id = $1 AND e.id = $2 AND e.revoked_at IS NULL RETURNING ${columns}`,
    [profileId, id, seals.sealSecret(id.toLowerCase(), secret), isAtOnce, rotationHours],
  )
  return rows[0]
}

export async function findHookEndpoint(sql: Sql, profileId: string, id: string): Promise<HookEndpoint | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<HookEndpoint>(
    `SELECT ${columns} FROM hook_endpoints e WHERE e.profile_id = $1 AND e.id = $2 AND e.revoked_at IS NULL`,
    [profileId, id],
  )
  return rows[0]
}

/** Revoked ones too: what they have told of stays. */
export async function hookEndpointOf(sql: Sql, id: string): Promise<HookEndpoint | undefined> {
  const { rows } = await sql.query<HookEndpoint>(`SELECT ${columns} FROM hook_endpoints e WHERE e.id = $1`, [id])
  return rows[0]
}

/** Its address answers 404 from then on; what it has told of stays. */
export async function revokeHookEndpoint(sql: Sql, profileId: string, id: string): Promise<HookEndpoint | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<HookEndpoint>(
    `UPDATE hook_endpoints AS e SET revoked_at = now()
     WHERE e.profile_id = $1 AND e.id = $2 AND e.revoked_at IS NULL RETURNING ${columns}`,
    [profileId, id],
  )
  return rows[0]
}
