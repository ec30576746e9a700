import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { revokeGrant as revoke } from '../../../postgres/stores/grants.ts'
import { operation } from '../../operation.ts'
import { checkGoverns } from '../profiles/governing.ts'

export const revokeGrant = operation({
  id: 'revokeGrant',
  method: 'DELETE',
  url: '/profiles/:profileId/grants/:appId',
  summary: 'Take an app’s grant away',
  description: 'The app’s keys on the profile end with it.',
  tags: ['Grants'],
  auth: ['session'],
  scopes: ['profiles:write'],
  idempotency: 'natural',
  needsEntitlement: false,
  params: z.object({ profileId: z.string(), appId: z.string() }),
  response: one(z.object({ app_id: z.uuid(), revoked: z.literal(true) })),
  errors: ['forbidden', 'not_found'],
  handler: async ({ params, credential, profile, postgres }) => {
    checkGoverns(credential, { provisioningAppId: null })
    const isRevoked = await revoke(postgres, params.appId, profile.id)
    if (!isRevoked) throw new ApiError('not_found', 'The app has no grant on this profile.')
    return { app_id: params.appId, revoked: true as const }
  },
})
