import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { holdMember, removeMember as remove } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { checkGovernsRole, checkKeepsOwner } from './governing.ts'

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  url: '/workspaces/:workspaceId/members/:userId',
  summary: 'Take a person out of a workspace',
  description: 'Everybody but the last owner may leave.',
  tags: ['Workspaces'],
  auth: ['session'],
  grain: 'workspace',
  // Leaving takes no more than having been in; the handler says who may remove whom.
  scopes: ['analytics:read'],
  idempotency: 'natural',
  params: z.object({ workspaceId: z.string(), userId: z.string() }),
  response: one(z.object({ user_id: z.uuid(), removed: z.literal(true) })),
  errors: ['forbidden', 'not_found', 'invalid_state'],
  handler: ({ params, credential, workspace, postgres }) =>
    transaction(postgres, async (tx) => {
      const held = await holdMember(tx, workspace.id, params.userId)
      if (!held) throw new ApiError('not_found', 'There is no such member.')
      const { member, owners } = held
      if (member.userId !== credential.userId) checkGovernsRole(credential, member.role)
      checkKeepsOwner(owners, member.role, undefined)
      await remove(tx, workspace.id, member.userId)
      return { user_id: member.userId, removed: true as const }
    }),
})
