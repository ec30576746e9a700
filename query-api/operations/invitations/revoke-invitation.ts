import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { holdInvitation, settleInvitation } from '../../../postgres/stores/invitations.ts'
import { operation } from '../../operation.ts'
import { checkGovernsRole } from '../workspaces/governing.ts'
import { Invitation, toInvitation } from './invitation.ts'

export const revokeInvitation = operation({
  id: 'revokeInvitation',
  method: 'DELETE',
  url: '/workspaces/:workspaceId/invitations/:invitationId',
  summary: 'Take an invitation back',
  description: 'One that was accepted or taken back already answers 409 `invalid_state`.',
  tags: ['Invitations'],
  auth: ['session'],
  grain: 'workspace',
  scopes: ['workspaces:write'],
  idempotency: 'natural',
  params: z.object({ workspaceId: z.string(), invitationId: z.string() }),
  response: one(Invitation),
  errors: ['forbidden', 'not_found', 'invalid_state'],
  handler: ({ params, credential, workspace, postgres }) =>
    transaction(postgres, async (tx) => {
      const held = await holdInvitation(tx, workspace.id, params.invitationId)
      if (!held) throw new ApiError('not_found', 'There is no such invitation.')
      checkGovernsRole(credential, held.role)
      if (held.status === 'accepted' || held.status === 'revoked') {
        throw new ApiError('invalid_state', `The invitation is ${held.status} already.`, { reason: held.status })
      }
      await settleInvitation(tx, held.id, 'revoked')
      return toInvitation({ ...held, status: 'revoked' })
    }),
})
