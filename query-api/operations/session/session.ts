import { z } from 'zod'
import { roles } from '../../../domain/roles.ts'
import type { Membership } from '../../../postgres/stores/users.ts'

export const Session = z
  .object({
    user: z.object({ id: z.uuid(), email: z.string() }),
    csrf_token: z.string().meta({ description: 'Sent as X-CSRF-Token with whatever changes something.' }),
    memberships: z.array(z.object({ workspace_id: z.uuid(), workspace_name: z.string(), role: z.enum(roles) })),
  })
  .meta({ id: 'Session' })

export const toMembership = ({ workspaceId, workspaceName, role }: Membership) => ({
  workspace_id: workspaceId,
  workspace_name: workspaceName,
  role,
})
