import { z } from 'zod'
import { isPasswordOf, nobodysHash } from '../../../domain/passwords.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { openSession, sessionDays } from '../../../postgres/stores/sessions.ts'
import { findUserByEmail, membershipsOf, normalEmail } from '../../../postgres/stores/users.ts'
import { operation } from '../../session-operation.ts'
import { Password } from './password.ts'
import { Session, toMembership } from './session.ts'
import { throttleGuesses } from './throttle.ts'

export const signIn = operation({
  id: 'signIn',
  method: 'POST',
  url: '/session',
  summary: 'Sign in at the console',
  description: 'Sets the session cookie. A wrong password and an unknown e-mail get the same answer.',
  tags: ['Session'],
  public: true,
  body: z.object({
    email: z
      .string()
      .min(3)
      .max(320)
      .meta({ examples: ['ana@example.com'] }),
    password: Password,
  }),
  response: one(Session),
  status: 201,
  errors: ['unauthorized', 'forbidden', 'rate_limit_exceeded'],
  handler: async ({ body, request, reply, postgres, cookies, rateLimiter }) => {
    // Another site must not be able to sign its visitor in under an account of its own.
    if (!cookies.isSameSite(request))
      throw new ApiError('forbidden', 'Sign in from the console itself.', { reason: 'csrf' })
    const email = normalEmail(body.email)
    await throttleGuesses(rateLimiter, { account: email, address: request.address })
    const user = await findUserByEmail(postgres, email)
    // Somebody unknown costs the same time as a wrong password.
    const isRight = await isPasswordOf(body.password, user?.passwordHash ?? nobodysHash)
    if (!user || !isRight) throw new ApiError('unauthorized', 'The e-mail or the password is wrong.')
    const { session, secret } = await openSession(postgres, user.id)
    reply.header('set-cookie', cookies.write(secret, sessionDays * 86_400))
    return {
      user: { id: user.id, email: user.email },
      csrf_token: cookies.csrfToken(session.id),
      memberships: (await membershipsOf(postgres, user.id)).map(toMembership),
    }
  },
})
