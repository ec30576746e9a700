import { hashSecret } from '../../domain/api-keys.ts'
import { isUuid } from '../../domain/ids.ts'
import { randomText } from '../../domain/random-text.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sql } from '../client.ts'

export type InvitationStatus = 'open' | 'accepted' | 'revoked' | 'expired'

export interface Invitation {
  id: string
  workspaceId: string
  email: string
  role: Role
  status: InvitationStatus
  createdAt: Date
  expiresAt: Date
}

const secretLength = 43
const columns = `i.id, i.workspace_id AS "workspaceId", i.email, i.role, i.created_at AS "createdAt",
  i.expires_at AS "expiresAt", CASE WHEN i.accepted_at IS NOT NULL THEN 'accepted'
    WHEN i.revoked_at IS NOT NULL THEN 'revoked' WHEN i.expires_at <= now() THEN 'expired' ELSE 'open' END AS status`

/** Its secret is what accepts it, and is in this answer alone. Nothing while an earlier one to the same person is open. */
export async function invite(
  sql: Sql,
  invitation: { workspaceId: string; email: string; role: Role; invitedBy: string; days: number },
): Promise<{ invitation: Invitation; secret: string } | undefined> {
  const secret = randomText(secretLength)
  await sql.query(
    `UPDATE invitations SET revoked_at = now() WHERE workspace_id = $1 AND email = $2
       AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at <= now()`,
    [invitation.workspaceId, invitation.email],
  )
  const { rows } = await sql.query<Invitation>(
    `INSERT INTO invitations AS i (workspace_id, email, role, secret_hash, invited_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6))
     ON CONFLICT (workspace_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL DO NOTHING RETURNING ${columns}`,
    [
      invitation.workspaceId,
      invitation.email,
      invitation.role,
      hashSecret(secret),
      invitation.invitedBy,
      invitation.days,
    ],
  )
  return rows[0] && { invitation: rows[0], secret }
}

export async function listInvitations(sql: Sql, workspaceId: string): Promise<Invitation[]> {
  const { rows } = await sql.query<Invitation>(
    `SELECT ${columns} FROM invitations i WHERE i.workspace_id = $1 ORDER BY i.created_at DESC, i.id LIMIT 1000`,
    [workspaceId],
  )
  return rows
}

/** Held until the transaction ends, so that it is accepted or revoked once. */
export async function holdInvitation(sql: Sql, workspaceId: string, id: string): Promise<Invitation | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<Invitation>(
    `SELECT ${columns} FROM invitations i WHERE i.workspace_id = $1 AND i.id = $2 FOR UPDATE`,
    [workspaceId, id],
  )
  return rows[0]
}

export async function holdInvitationBySecret(
  sql: Sql,
  secret: string,
): Promise<(Invitation & { isWorkspaceArchived: boolean }) | undefined> {
  const { rows } = await sql.query<Invitation & { isWorkspaceArchived: boolean }>(
    `SELECT ${columns}, w.archived_at IS NOT NULL AS "isWorkspaceArchived"
     FROM invitations i JOIN workspaces w ON w.id = i.workspace_id WHERE i.secret_hash = $1 FOR UPDATE OF i`,
    [hashSecret(secret)],
  )
  return rows[0]
}

export async function settleInvitation(sql: Sql, id: string, how: 'accepted' | 'revoked'): Promise<void> {
  const column = how === 'accepted' ? 'accepted_at' : 'revoked_at'
  await sql.query(`UPDATE invitations SET ${column} = now() WHERE id = $1`, [id])
}
