import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { holdApiKey, revokeApiKey } from '../../../postgres/stores/api-keys.ts'
import { operation } from '../../operation.ts'
import { checkMayManageKeys } from './allowed-scopes.ts'
import { ApiKey, KeyPath, toApiKey } from './key.ts'

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'DELETE',
  url: '/profiles/:profileId/keys/:keyId',
  summary: 'Revoke an API key',
  description: 'It stops working everywhere within two seconds.',
  tags: ['Keys'],
  auth: ['app', 'session'],
  scopes: ['profiles:write'],
  idempotency: 'natural',
  needsEntitlement: false,
  params: KeyPath,
  response: one(ApiKey),
  errors: ['not_found'],
  handler: async ({ params, credential, profile, postgres, request }) => {
    checkMayManageKeys(credential)
    const key = await asProfile(postgres, profile.id, async (tx) => {
      const held = await holdApiKey(tx, profile.id, params.keyId, credential.appId)
      if (!held) throw new ApiError('not_found', 'This profile has no active key with that id.')
      await revokeApiKey(tx, profile.id, held.id)
      return held
    })
    return toApiKey({ ...key, revokedAt: request.receivedAt })
  },
})
