import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { endSession } from '../../../postgres/stores/sessions.ts'
import { operation } from '../../session-operation.ts'

export const signOut = operation({
  id: 'signOut',
  method: 'DELETE',
  url: '/session',
  summary: 'Sign out',
  tags: ['Session'],
  ownAccount: true,
  idempotency: 'natural',
  response: one(z.object({ signed_out: z.literal(true) })),
  handler: async ({ credential, postgres, cookies, reply }) => {
    await endSession(postgres, credential.id)
    reply.header('set-cookie', cookies.clear())
    return { signed_out: true as const }
  },
})
