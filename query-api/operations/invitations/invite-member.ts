import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { invite } from '../../../postgres/stores/invitations.ts'
import { isMember, normalEmail } from '../../../postgres/stores/users.ts'
import { operation } from '../../operation.ts'
import { personOf } from '../session/person-of.ts'
import { checkGovernsRole } from '../workspaces/governing.ts'
import { Role, WorkspacePath } from '../workspaces/workspace.ts'
import { Invitation, toInvitation } from './invitation.ts'

const openForDays = 14

export const inviteMember = operation({
  id: 'inviteMember',
  method: 'POST',
  url: '/workspaces/:workspaceId/invitations',
  summary: 'Invite a person to a workspace',
  description:
    `Open for ${openForDays} days. The answer holds, this once, the token that accepts it: pass it on to the person. People of a workspace that an app ` +
    'provisioned are the app’s to invite: 403 `app_provisioned_workspace`.',
  tags: ['Invitations'],
  auth: ['session'],
  grain: 'workspace',
  scopes: ['workspaces:write'],
  params: WorkspacePath,
  body: z.object({ email: z.email().max(320), role: Role.default('member') }),
  response: one(Invitation.extend({ token: z.string() }).meta({ id: 'IssuedInvitation' })),
  status: 201,
  errors: ['forbidden', 'app_provisioned_workspace', 'invalid_state'],
  handler: ({ body, credential, workspace, postgres }) => {
    checkGovernsRole(credential, body.role)
    if (workspace.provisioningAppId !== null) throw new ApiError('app_provisioned_workspace')
    const email = normalEmail(body.email)
    return transaction(postgres, async (tx) => {
      if (await isMember(tx, workspace.id, email)) throw new ApiError('invalid_state', 'They belong to it already.')
      const invitedBy = personOf(credential)
      const issued = await invite(tx, {
        workspaceId: workspace.id,
        email,
        role: body.role,
        invitedBy,
        days: openForDays,
      })
      if (!issued) throw new ApiError('invalid_state', 'They have an open invitation: revoke it first.')
      return { ...toInvitation(issued.invitation), token: issued.secret }
    })
  },
})
