import type { Profile, Workspace } from '../../domain/credentials.ts'
import { isUuid } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sql } from '../client.ts'
import { isLive, type ProfileColumns, profileColumns, toProfile } from './profile-row.ts'

interface WorkspaceColumns {
  id: string
  name: string
  plan: string
  is_healthcare_agency: boolean
  provisioning_app_id: string | null
}

const workspaceColumns = 'w.id, w.name, w.plan, w.is_healthcare_agency, w.provisioning_app_id'

const toWorkspace = (row: WorkspaceColumns): Workspace => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  isHealthcareAgency: row.is_healthcare_agency,
  provisioningAppId: row.provisioning_app_id,
})

/** What an app may do on a profile: nothing to be found without a live grant. */
export async function findGrantedProfile(
  sql: Sql,
  appId: string,
  profileId: string,
): Promise<{ profile: Profile; grantedScopes: string[] } | undefined> {
  if (!isUuid(profileId)) return undefined
  const { rows } = await sql.query<ProfileColumns & { scopes: string[] }>(
    `SELECT g.scopes, ${profileColumns}
     FROM grants g JOIN profiles p ON p.id = g.profile_id JOIN workspaces w ON w.id = p.workspace_id
     WHERE g.app_id = $1 AND g.profile_id = $2 AND g.revoked_at IS NULL AND ${isLive}`,
    [appId, profileId],
  )
  return rows[0] && { profile: toProfile(rows[0]), grantedScopes: rows[0].scopes }
}

/** A profile of a workspace that the person belongs to. */
export async function findMembersProfile(
  sql: Sql,
  userId: string,
  profileId: string,
): Promise<{ profile: Profile; role: Role } | undefined> {
  if (!isUuid(profileId)) return undefined
  const { rows } = await sql.query<ProfileColumns & { role: Role }>(
    `SELECT m.role, ${profileColumns}
     FROM profiles p JOIN workspaces w ON w.id = p.workspace_id JOIN memberships m ON m.workspace_id = w.id
     WHERE m.user_id = $1 AND p.id = $2 AND ${isLive}`,
    [userId, profileId],
  )
  return rows[0] && { profile: toProfile(rows[0]), role: rows[0].role }
}

export async function findWorkspace(sql: Sql, workspaceId: string): Promise<Workspace | undefined> {
  const { rows } = await sql.query<WorkspaceColumns>(
    `SELECT ${workspaceColumns} FROM workspaces w WHERE w.id = $1 AND w.archived_at IS NULL`,
    [workspaceId],
  )
  return rows[0] && toWorkspace(rows[0])
}

export async function findMembersWorkspace(
  sql: Sql,
  userId: string,
  workspaceId: string,
): Promise<{ workspace: Workspace; role: Role } | undefined> {
  if (!isUuid(workspaceId)) return undefined
  const { rows } = await sql.query<WorkspaceColumns & { role: Role }>(
    `SELECT m.role, ${workspaceColumns} FROM workspaces w JOIN memberships m ON m.workspace_id = w.id
     WHERE m.user_id = $1 AND w.id = $2 AND w.archived_at IS NULL`,
    [userId, workspaceId],
  )
  return rows[0] && { workspace: toWorkspace(rows[0]), role: rows[0].role }
}

export async function findAppsWorkspace(sql: Sql, appId: string, workspaceId: string): Promise<Workspace | undefined> {
  if (!isUuid(workspaceId)) return undefined
  const { rows } = await sql.query<WorkspaceColumns>(
    `SELECT ${workspaceColumns} FROM workspaces w
     WHERE w.provisioning_app_id = $1 AND w.id = $2 AND w.archived_at IS NULL`,
    [appId, workspaceId],
  )
  return rows[0] && toWorkspace(rows[0])
}
