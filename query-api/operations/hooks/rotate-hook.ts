import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findHookEndpoint, rotateHookSecret, rotationHours } from '../../../postgres/stores/hook-endpoints.ts'
import { operation } from '../../hook-operation.ts'
import { EndpointWithSecret, Secret, secretFor, toEndpoint, unknownEndpoint } from './endpoint.ts'

export const rotateHook = operation({
  id: 'rotateHook',
  method: 'POST',
  url: '/hooks/:id/rotate',
  summary: 'Change the secret of a notification address',
  description: `The secret before verifies for ${rotationHours} hours more, unless it is to end at once.`,
  tags: ['Hooks'],
  scopes: ['connections:write'],
  // Any text: a malformed id answers like an unknown one.
  params: z.object({ id: z.string() }),
  onInvalid: { params: 'not_found' },
  body: z
    .object({ secret: Secret, at_once: z.boolean().default(false).meta({ description: 'End the secret before now.' }) })
    .meta({ id: 'HookRotation' }),
  response: one(EndpointWithSecret),
  errors: ['not_found'],
  handler: async ({ params, body, profile, postgres, hookSeals, baseUrl }) =>
    asProfile(postgres, profile.id, async (tx) => {
      const standing = await findHookEndpoint(tx, profile.id, params.id)
      if (!standing) throw unknownEndpoint()
      const secret = secretFor(standing.provider, body.secret)
      const change = { profileId: profile.id, id: standing.id, secret, isAtOnce: body.at_once }
      const endpoint = await rotateHookSecret(tx, hookSeals, change)
      if (!endpoint) throw unknownEndpoint()
      return { ...toEndpoint(endpoint, baseUrl), secret }
    }),
})
