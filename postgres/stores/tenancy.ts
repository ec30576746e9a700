import type pg from 'pg'
import type { PrivacyMode } from '../../domain/credentials.ts'
import { defaultDefinitions } from '../../domain/default-definitions.ts'
import { isUuid } from '../../domain/ids.ts'
import { hashPassword } from '../../domain/passwords.ts'
import type { Role } from '../../domain/roles.ts'
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
}

export async function createWorkspace(sql: Sql, name: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>('INSERT INTO workspaces (name) VALUES ($1) RETURNING id', [name])
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

/** The profile, its default definitions, and a message for each: one transaction. */
export async function createProfile(
  pool: pg.Pool,
  profile: NewProfile,
): Promise<{ profileId: string; workspaceId: string }> {
  const { name, currency = 'USD', timezone = 'UTC', privacyMode = 'standard' } = profile
  return transaction(pool, async (tx) => {
    const workspaceId = profile.workspaceId ?? (await createWorkspace(tx, name))
    const { rows } = await tx.query<{ id: string; settings_version: string }>(
      `INSERT INTO profiles (workspace_id, name, reporting_currency, timezone, privacy_mode)
       VALUES ($1, $2, $3, $4, $5) RETURNING id, settings_version`,
      [workspaceId, name, currency, timezone, privacyMode],
    )
    const { id: profileId, settings_version } = rows[0]!
    await enqueue(tx, topics.settings, {
      profile_id: profileId,
      version: Number(settings_version),
      value: { 'touchline.ProfileSetting': { reporting_currency: currency, timezone } },
    })
    for (const definition of defaultDefinitions) await createDefinition(tx, profileId, definition)
    return { profileId, workspaceId }
  })
}

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

/** Nothing when somebody with that e-mail exists already. */
export async function createUser(
  pool: pg.Pool,
  user: { email: string; password: string; workspaceId?: string | undefined; role?: Role | undefined },
): Promise<{ userId: string } | undefined> {
  const passwordHash = await hashPassword(user.password)
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      'INSERT INTO users (email, password_hash) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING RETURNING id',
      [user.email.trim().toLowerCase(), passwordHash],
    )
    const [created] = rows
    if (!created) return undefined
    if (user.workspaceId) await addMember(tx, user.workspaceId, created.id, user.role ?? 'owner')
    return { userId: created.id }
  })
}

export async function addMember(sql: Sql, workspaceId: string, userId: string, role: Role): Promise<void> {
  await sql.query(
    `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
    [workspaceId, userId, role],
  )
}
