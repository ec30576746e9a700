import { z } from 'zod'
import type { Invitation as Stored } from '../../../postgres/stores/invitations.ts'
import { Role } from '../workspaces/workspace.ts'

export const Invitation = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    email: z.string(),
    role: Role,
    status: z.enum(['open', 'accepted', 'revoked', 'expired']),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' })

export const toInvitation = (invitation: Stored): z.infer<typeof Invitation> => ({
  id: invitation.id,
  workspace_id: invitation.workspaceId,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  created_at: invitation.createdAt.toISOString(),
  expires_at: invitation.expiresAt.toISOString(),
})
