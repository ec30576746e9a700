import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { archiveProfile as archive, readProfile } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { checkGoverns } from './governing.ts'
import { Profile, toProfile } from './profile.ts'

export const archiveProfile = operation({
  id: 'archiveProfile',
  method: 'POST',
  url: '/profiles/:profileId/archive',
  summary: 'Archive a profile',
  description:
    'Its keys stop working, hits and notifications of providers are refused, and it no longer counts against the plan. ' +
    'It can be restored, or deleted for good.',
  tags: ['Profiles'],
  auth: ['session', 'mcp', 'app'],
  scopes: ['profiles:write'],
  idempotency: 'natural',
  needsEntitlement: false,
  params: z.object({ profileId: z.string() }),
  response: one(Profile),
  errors: ['forbidden', 'not_found'],
  handler: async ({ credential, profile, postgres }) => {
    checkGoverns(credential, profile)
    await archive(postgres, profile.id)
    const archived = await readProfile(postgres, profile.id)
    if (!archived) throw new ApiError('not_found', 'There is no such profile.')
    return toProfile(archived)
  },
})
