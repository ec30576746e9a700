import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { changeRole, holdMember } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { checkGovernsRole, checkKeepsOwner } from './governing.ts'
import { Member, Role, toMember } from './workspace.ts'

export const changeMember = operation({
  id: 'changeMember',
  method: 'PATCH',
  url: '/workspaces/:workspaceId/members/:userId',
  summary: 'Change the role of a person',
  description: 'An admin governs admins and members; owners are made and unmade by owners.',
  tags: ['Workspaces'],
  auth: ['session'],
  grain: 'workspace',
  scopes: ['workspaces:write'],
  idempotency: 'natural',
  params: z.object({ workspaceId: z.string(), userId: z.string() }),
  body: z.object({ role: Role }),
  response: one(Member),
  errors: ['forbidden', 'not_found', 'invalid_state'],
  handler: ({ params, body, credential, workspace, postgres }) =>
    transaction(postgres, async (tx) => {
      const held = await holdMember(tx, workspace.id, params.userId)
      if (!held) throw new ApiError('not_found', 'There is no such member.')
      checkGovernsRole(credential, held.member.role, body.role)
      checkKeepsOwner(held.owners, held.member.role, body.role)
      await changeRole(tx, workspace.id, held.member.userId, body.role)
      return toMember({ ...held.member, role: body.role })
    }),
})
