import { z } from 'zod'
import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listApiKeys } from '../../../postgres/stores/api-keys.ts'
import { operation } from '../../operation.ts'
import { checkMayManageKeys } from './allowed-scopes.ts'
import { ApiKey, toApiKey } from './key.ts'

export const listKeys = operation({
  id: 'listKeys',
  method: 'GET',
  url: '/profiles/:profileId/keys',
  summary: 'List the API keys of a profile',
  description:
    'Newest first, the last 1,000; those that ended in the last 30 days are among them. An app sees its own.',
  tags: ['Keys'],
  auth: ['app', 'session'],
  scopes: ['profiles:write'],
  params: z.object({ profileId: z.string() }),
  response: page(ApiKey),
  handler: async ({ credential, profile, postgres }) => {
    checkMayManageKeys(credential)
    const keys = await asProfile(postgres, profile.id, (tx) => listApiKeys(tx, profile.id, credential.appId))
    return keys.map(toApiKey)
  },
})
