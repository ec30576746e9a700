import { isUuid } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sql } from '../client.ts'

export interface WorkspaceDetails {
  id: string
  name: string
  plan: string
  activeProfilesLimit: number | null
  activeProfiles: number
  isHealthcareAgency: boolean
  /** Journey summaries that may be written in a day. */
  dailyAiAllowance: number
  provisioningAppId: string | null
  createdAt: Date
}

const columns = `w.id, w.name, w.plan, plans.active_profiles AS "activeProfilesLimit",
  (SELECT count(*)::int FROM profiles p WHERE p.workspace_id = w.id AND p.archived_at IS NULL) AS "activeProfiles",
  w.is_healthcare_agency AS "isHealthcareAgency", w.daily_ai_allowance AS "dailyAiAllowance",
  w.provisioning_app_id AS "provisioningAppId",
  w.created_at AS "createdAt"`
const tables = 'workspaces w JOIN plans ON plans.name = w.plan'

export async function readWorkspace(sql: Sql, id: string): Promise<WorkspaceDetails | undefined> {
  const { rows } = await sql.query<WorkspaceDetails>(
    `SELECT ${columns} FROM ${tables} WHERE w.id = $1 AND w.archived_at IS NULL`,
    [id],
  )
  return rows[0]
}

/** Those a person belongs to, or those that an app has made; keyset by id. */
export async function listWorkspacesOf(
  sql: Sql,
  who: { userId: string } | { appId: string },
  page: { after: string | undefined; limit: number },
): Promise<WorkspaceDetails[]> {
  const mine =
    'userId' in who
      ? 'EXISTS (SELECT FROM memberships m WHERE m.workspace_id = w.id AND m.user_id = $1)'
      : 'w.provisioning_app_id = $1'
  const { rows } = await sql.query<WorkspaceDetails>(
    `SELECT ${columns} FROM ${tables}
     WHERE ${mine} AND w.archived_at IS NULL AND ($2::uuid IS NULL OR w.id > $2) ORDER BY w.id LIMIT $3`,
    ['userId' in who ? who.userId : who.appId, page.after ?? null, page.limit],
  )
  return rows
}

export interface WorkspaceChange {
  name?: string | undefined
  isHealthcareAgency?: boolean | undefined
  plan?: string | undefined
  dailyAiAllowance?: number | undefined
}

/** The only writer of the healthcare mark; with it the database withdraws person-level keys and scopes. */
export async function changeWorkspace(sql: Sql, id: string, change: WorkspaceChange): Promise<void> {
  await sql.query(
    `UPDATE workspaces SET name = coalesce($2, name), is_healthcare_agency = coalesce($3, is_healthcare_agency),
       plan = coalesce($4, plan), daily_ai_allowance = coalesce($5, daily_ai_allowance) WHERE id = $1`,
    [id, change.name ?? null, change.isHealthcareAgency ?? null, change.plan ?? null, change.dailyAiAllowance ?? null],
  )
}

/** For good: its profiles are no longer reached, and invitations to it are void. */
export async function archiveWorkspace(sql: Sql, id: string): Promise<void> {
  await sql.query('UPDATE workspaces SET archived_at = now() WHERE id = $1 AND archived_at IS NULL', [id])
}

export interface Member {
  userId: string
  email: string
  role: Role
  joinedAt: Date
}

const memberColumns = 'm.user_id AS "userId", u.email, m.role, m.created_at AS "joinedAt"'

export async function listMembers(sql: Sql, workspaceId: string): Promise<Member[]> {
  const { rows } = await sql.query<Member>(
    `SELECT ${memberColumns} FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = $1 ORDER BY m.created_at, m.user_id LIMIT 1000`,
    [workspaceId],
  )
  return rows
}

/** The members, held until the transaction ends: two owners at once cannot each unmake the other. */
export async function holdMember(
  sql: Sql,
  workspaceId: string,
  userId: string,
): Promise<{ member: Member; owners: number } | undefined> {
  if (!isUuid(userId)) return undefined
  await sql.query('SELECT FROM workspaces WHERE id = $1 FOR UPDATE', [workspaceId])
  const { rows } = await sql.query<Member & { owners: number }>(
    `SELECT ${memberColumns},
       (SELECT count(*)::int FROM memberships o WHERE o.workspace_id = $1 AND o.role = 'owner') AS owners
     FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND m.user_id = $2`,
    [workspaceId, userId],
  )
  if (!rows[0]) return undefined
  const { owners, ...member } = rows[0]
  return { member, owners }
}

export async function changeRole(sql: Sql, workspaceId: string, userId: string, role: Role): Promise<void> {
  await sql.query('UPDATE memberships SET role = $3 WHERE workspace_id = $1 AND user_id = $2', [
    workspaceId,
    userId,
    role,
  ])
}

export async function removeMember(sql: Sql, workspaceId: string, userId: string): Promise<void> {
  await sql.query('DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2', [workspaceId, userId])
}

/** From the smallest to the largest. */
export async function listPlans(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>('SELECT name FROM plans ORDER BY rank')
  return rows.map(({ name }) => name)
}
