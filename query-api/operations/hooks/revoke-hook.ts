import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { revokeHookEndpoint } from '../../../postgres/stores/hook-endpoints.ts'
import { operation } from '../../hook-operation.ts'
import { Endpoint, toEndpoint, unknownEndpoint } from './endpoint.ts'

export const revokeHook = operation({
  id: 'revokeHook',
  method: 'DELETE',
  url: '/hooks/:id',
  summary: 'Close a notification address',
  description: 'Its notifications are answered 404 from then on; what they have told of stays.',
  tags: ['Hooks'],
  scopes: ['connections:write'],
  idempotency: 'natural',
  params: z.object({ id: z.string() }),
  onInvalid: { params: 'not_found' },
  response: one(Endpoint),
  errors: ['not_found'],
  handler: async ({ params, profile, postgres, baseUrl }) => {
    const revoked = await asProfile(postgres, profile.id, (tx) => revokeHookEndpoint(tx, profile.id, params.id))
    if (!revoked) throw unknownEndpoint()
    return toEndpoint(revoked, baseUrl)
  },
})
