import { z } from 'zod'
import { hashPassword, isPasswordOf } from '../../../domain/passwords.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { revokeMcpTokensOf } from '../../../postgres/stores/mcp-tokens.ts'
import { endSessionsOf } from '../../../postgres/stores/sessions.ts'
import { changePassword as change, findUser } from '../../../postgres/stores/users.ts'
import { operation } from '../../session-operation.ts'
import { checkNewPassword, Password } from './password.ts'
import { personOf } from './person-of.ts'
import { throttleGuesses } from './throttle.ts'

export const changePassword = operation({
  id: 'changePassword',
  method: 'PUT',
  url: '/session/password',
  summary: 'Change the own password',
  description: 'Ends every other session and every MCP token of the person.',
  tags: ['Session'],
  ownAccount: true,
  body: z.object({ current_password: Password.optional(), new_password: Password }),
  response: one(z.object({ changed: z.literal(true) })),
  errors: ['current_password_required', 'current_password_invalid', 'weak_password', 'compromised_password'],
  handler: async ({ body, credential, request, postgres, rateLimiter }) => {
    if (body.current_password === undefined) throw new ApiError('current_password_required')
    const userId = personOf(credential)
    await throttleGuesses(rateLimiter, { account: userId, address: request.address })
    const user = await findUser(postgres, userId)
    if (!user || !(await isPasswordOf(body.current_password, user.passwordHash))) {
      throw new ApiError('current_password_invalid')
    }
    checkNewPassword(body.new_password)
    const passwordHash = await hashPassword(body.new_password)
    await transaction(postgres, async (tx) => {
      await change(tx, userId, passwordHash)
      await endSessionsOf(tx, userId, credential.id)
      await revokeMcpTokensOf(tx, userId)
    })
    return { changed: true as const }
  },
})
