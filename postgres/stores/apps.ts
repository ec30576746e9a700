import { hashSecret, isSameHash } from '../../domain/api-keys.ts'
import { isUuid } from '../../domain/ids.ts'
import { randomText } from '../../domain/random-text.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Sql } from '../client.ts'

export const appTiers = ['standard', 'elevated', 'internal'] as const
export type AppTier = (typeof appTiers)[number]

export interface NewApp {
  name: string
  tier: AppTier
  redirectUris: readonly string[]
  returnOrigins: readonly string[]
  /** What it may ask for; every bundle without persons when nothing is said. */
  scopes?: readonly Scope[] | undefined
}

export interface LiveApp {
  id: string
  name: string
  tier: AppTier
  scopes: string[]
}

const mintSecret = () => `tl_secret_${randomText(40)}`

/** The secret is in the answer and nowhere else; what is stored is its hash. */
export async function createApp(
  sql: Sql,
  app: NewApp,
): Promise<{ appId: string; clientId: string; clientSecret: string }> {
  const clientId = `tl_app_${randomText(16)}`
  const clientSecret = mintSecret()
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO apps (name, tier, client_id, client_secret_hash, redirect_uris, allowed_return_origins)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
    [app.name, app.tier, clientId, hashSecret(clientSecret), app.redirectUris, app.returnOrigins],
  )
  const appId = rows[0]!.id
  if (app.scopes) await sql.query('UPDATE apps SET scopes = $2 WHERE id = $1', [appId, app.scopes])
  return { appId, clientId, clientSecret }
}

/** By its id or its client id. */
export async function findApp(sql: Sql, id: string): Promise<{ id: string; name: string } | undefined> {
  const column = isUuid(id) ? 'id' : 'client_id'
  const { rows } = await sql.query<{ id: string; name: string }>(`SELECT id, name FROM apps WHERE ${column} = $1`, [id])
  return rows[0]
}

/** By its id, unless it has been shut out. */
export async function findLiveApp(sql: Sql, id: string): Promise<LiveApp | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<LiveApp>(
    'SELECT id, name, tier, scopes FROM apps WHERE id = $1 AND revoked_at IS NULL',
    [id],
  )
  return rows[0]
}

const nobody = hashSecret('')

/** The live app whose client id and secret these are. An unknown id takes the same way as a wrong secret. */
export async function findAppByCredentials(
  sql: Sql,
  clientId: string,
  clientSecret: string,
): Promise<LiveApp | undefined> {
  const { rows } = await sql.query<LiveApp & { client_secret_hash: Buffer }>(
    'SELECT id, name, tier, scopes, client_secret_hash FROM apps WHERE client_id = $1 AND revoked_at IS NULL',
    [clientId],
  )
  const [row] = rows
  const isRight = isSameHash(hashSecret(clientSecret), row?.client_secret_hash ?? nobody)
  return row && isRight ? { id: row.id, name: row.name, tier: row.tier, scopes: row.scopes } : undefined
}

/** A new secret; the old one, and nothing else of the app, stops working. */
export async function replaceAppSecret(sql: Sql, appId: string): Promise<string> {
  const clientSecret = mintSecret()
  await sql.query('UPDATE apps SET client_secret_hash = $2 WHERE id = $1', [appId, hashSecret(clientSecret)])
  return clientSecret
}

/** Its tokens, and its keys on every profile, stop working. */
export async function revokeApp(sql: Sql, appId: string): Promise<void> {
  await sql.query('UPDATE apps SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL', [appId])
}
