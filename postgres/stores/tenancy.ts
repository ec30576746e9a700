import type pg from 'pg'
import type { PrivacyMode } from '../../domain/credentials.ts'
import { defaultDefinitions } from '../../domain/default-definitions.ts'
import { isUuid } from '../../domain/ids.ts'
import { topics } from '../../schemas/topics.ts'
import { type Sql, transaction } from '../client.ts'
import { createDefinition } from './definitions.ts'
import { enqueue } from './outbox.ts'

export interface NewProfile {
  name: string
  /** A workspace of its own, named like the profile, when there is none. */
  workspaceId?: string | undefined
  currency?: string | undefined
  timezone?: string | undefined
  privacyMode?: PrivacyMode | undefined
  /** The app that provisions it; a new workspace is then the app's as well. */
  provisioningAppId?: string | undefined
}

export async function createWorkspace(sql: Sql, name: string, provisioningAppId?: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    'INSERT INTO workspaces (name, provisioning_app_id) VALUES ($1, $2) RETURNING id',
    [name, provisioningAppId ?? null],
  )
  return rows[0]!.id
}

export interface Workspace {
  id: string
  name: string
}

/** By id, or by a name that only one workspace has. */
export async function findWorkspaces(sql: Sql, idOrName: string): Promise<Workspace[]> {
  const column = isUuid(idOrName) ? 'id' : 'name'
  const { rows } = await sql.query<Workspace>(`SELECT id, name FROM workspaces WHERE ${column} = $1`, [idOrName])
  return rows
}

type Created = Promise<{ profileId: string; workspaceId: string }>

export const createProfile = (pool: pg.Pool, profile: NewProfile): Created =>
  transaction(pool, (tx) => addProfile(tx, profile))

/** The profile, its default definitions, and a message for each: all in this transaction. */
export async function addProfile(tx: pg.PoolClient, profile: NewProfile): Created {
  const { name, currency = 'USD', timezone = 'UTC', privacyMode = 'standard', provisioningAppId } = profile
  const workspaceId = profile.workspaceId ?? (await createWorkspace(tx, name, provisioningAppId))
  const { rows } = await tx.query<{ id: string; settings_version: string }>(
    `INSERT INTO profiles (workspace_id, name, reporting_currency, timezone, privacy_mode, provisioning_app_id)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, settings_version`,
    [workspaceId, name, currency, timezone, privacyMode, provisioningAppId ?? null],
  )
  const { id: profileId, settings_version } = rows[0]!
  await tellSettings(tx, { profileId, version: Number(settings_version), currency, timezone })
  for (const definition of defaultDefinitions) await createDefinition(tx, profileId, definition)
  return { profileId, workspaceId }
}

/** Figures depend on these, so the pipeline hears of every change and derives the profile again. */
export const tellSettings = (
  tx: pg.PoolClient,
  settings: { profileId: string; version: number; currency: string; timezone: string },
): Promise<void> =>
  enqueue(tx, topics.settings, {
    profile_id: settings.profileId,
    version: settings.version,
    value: {
      'touchline.ProfileSetting': { reporting_currency: settings.currency, timezone: settings.timezone },
    },
  })

export interface ProfileRow {
  id: string
  workspaceId: string
  name: string
  currency: string
  timezone: string
  privacyMode: PrivacyMode
  isHealthcare: boolean
}

const profileColumns = `p.id, p.workspace_id AS "workspaceId", p.name, p.reporting_currency AS currency, p.timezone,
  p.privacy_mode AS "privacyMode", (w.is_healthcare_agency OR p.privacy_mode <> 'standard') AS "isHealthcare"`

export async function listProfiles(sql: Sql): Promise<ProfileRow[]> {
  const { rows } = await sql.query<ProfileRow>(
    `SELECT ${profileColumns} FROM profiles p JOIN workspaces w ON w.id = p.workspace_id
     WHERE p.archived_at IS NULL ORDER BY p.created_at, p.id`,
  )
  return rows
}

export async function findProfile(sql: Sql, id: string): Promise<ProfileRow | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<ProfileRow>(
    `SELECT ${profileColumns} FROM profiles p JOIN workspaces w ON w.id = p.workspace_id
     WHERE p.id = $1 AND p.archived_at IS NULL`,
    [id],
  )
  return rows[0]
}
