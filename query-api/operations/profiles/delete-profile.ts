import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { findGoverned, deleteProfile as remove } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'

export const deleteProfile = operation({
  id: 'deleteProfile',
  method: 'DELETE',
  url: '/profiles/:profileId',
  summary: 'Delete an archived profile for good',
  description:
    'Keys, customers, settings and erasure receipts go with it, and with the vault the way to every personal value that topics still hold.',
  tags: ['Profiles'],
  auth: ['session', 'app'],
  grain: 'caller',
  scopes: ['profiles:write'],
  idempotency: 'natural',
  params: z.object({ profileId: z.string() }),
  response: one(z.object({ id: z.uuid(), deleted: z.literal(true) })),
  errors: ['forbidden', 'not_found', 'invalid_state'],
  handler: ({ params, credential, postgres }) =>
    transaction(postgres, async (tx) => {
      const found = await findGoverned(tx, credential, params.profileId)
      if (!found) throw new ApiError('not_found', 'There is no such profile.')
      const { profile, role } = found
      const isMaker = credential.appId !== null && credential.appId === profile.provisioningAppId
      if (role !== 'owner' && !isMaker) throw new ApiError('forbidden', 'Only an owner deletes a profile.')
      if (profile.archivedAt === null) throw new ApiError('invalid_state', 'Archive the profile first.')
      await remove(tx, profile.id)
      return { id: profile.id, deleted: true as const }
    }),
})
