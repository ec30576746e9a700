import { z } from 'zod'
import { hashPassword, isPasswordOf } from '../../../domain/passwords.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import {
  holdInvitationBySecret,
  type Invitation as Stored,
  settleInvitation,
} from '../../../postgres/stores/invitations.ts'
import { addMember, addUser, findUserByEmail } from '../../../postgres/stores/users.ts'
import { operation } from '../../session-operation.ts'
import { checkNewPassword, Password } from '../session/password.ts'
import { throttleGuesses } from '../session/throttle.ts'
import { Invitation, toInvitation } from './invitation.ts'

export const acceptInvitation = operation({
  id: 'acceptInvitation',
  method: 'POST',
  url: '/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'With the token of the invitation. Who has no account yet chooses its password; who has one gives the present password. Then sign in.',
  tags: ['Invitations'],
  public: true,
  body: z.object({ token: z.string().min(1).max(200), password: Password }),
  response: one(Invitation),
  errors: [
    'not_found',
    'invalid_state',
    'workspace_archived',
    'weak_password',
    'compromised_password',
    'current_password_invalid',
    'rate_limit_exceeded',
  ],
  handler: async ({ body, request, postgres, rateLimiter }) => {
    await throttleGuesses(rateLimiter, { account: body.token, address: request.address })
    return transaction(postgres, async (tx) => {
      const held = await holdInvitationBySecret(tx, body.token)
      if (!held) throw new ApiError('not_found', 'There is no such invitation.')
      checkOpen(held)
      const user = await findUserByEmail(tx, held.email)
      if (user && !(await isPasswordOf(body.password, user.passwordHash))) {
        throw new ApiError('current_password_invalid')
      }
      if (!user) checkNewPassword(body.password)
      const userId = user?.id ?? (await addUser(tx, held.email, await hashPassword(body.password)))
      if (userId === undefined) throw new ApiError('invalid_state', 'Accept it again: the account has just been made.')
      await addMember(tx, held.workspaceId, userId, held.role)
      await settleInvitation(tx, held.id, 'accepted')
      return toInvitation({ ...held, status: 'accepted' })
    })
  },
})

function checkOpen({ status, isWorkspaceArchived }: Stored & { isWorkspaceArchived: boolean }): void {
  if (isWorkspaceArchived) throw new ApiError('workspace_archived')
  if (status !== 'open') throw new ApiError('invalid_state', `The invitation is ${status}.`, { reason: status })
}
