import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { findGoverned, holdPlan, readProfile, restoreProfile as restore } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { checkGoverns, checkRoom } from './governing.ts'
import { Profile, toProfile } from './profile.ts'

export const restoreProfile = operation({
  id: 'restoreProfile',
  method: 'POST',
  url: '/profiles/:profileId/restore',
  summary: 'Bring an archived profile back',
  tags: ['Profiles'],
  auth: ['session', 'app'],
  grain: 'caller',
  scopes: ['profiles:write'],
  idempotency: 'natural',
  params: z.object({ profileId: z.string() }),
  response: one(Profile),
  errors: ['forbidden', 'not_found', 'invalid_state', 'profile_limit_reached'],
  handler: ({ params, credential, postgres }) =>
    transaction(postgres, async (tx) => {
      const found = await findGoverned(tx, credential, params.profileId)
      if (!found) throw new ApiError('not_found', 'There is no such profile.')
      const { profile, role } = found
      checkGoverns({ appId: credential.appId, role }, profile)
      const room = await holdPlan(tx, profile.workspaceId)
      if (profile.archivedAt === null) throw new ApiError('invalid_state', 'The profile is not archived.')
      checkRoom(room)
      await restore(tx, profile.id)
      return toProfile((await readProfile(tx, profile.id))!)
    }),
})
