import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { readProfile as read } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { Profile, toProfile } from './profile.ts'

export const readProfile = operation({
  id: 'readProfile',
  method: 'GET',
  url: '/profiles/:profileId',
  summary: 'Read a profile',
  tags: ['Profiles'],
  scopes: ['analytics:read', 'profiles:write'],
  params: z.object({ profileId: z.string() }),
  response: one(Profile),
  errors: ['not_found'],
  handler: async ({ profile, postgres }) => {
    const found = await read(postgres, profile.id)
    if (!found) throw new ApiError('not_found', 'There is no such profile.')
    return toProfile(found)
  },
})
