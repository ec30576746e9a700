import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { createApiKey, giveWay, holdApiKey } from '../../../postgres/stores/api-keys.ts'
import { operation } from '../../operation.ts'
import { checkMayManageKeys, remainingScopes } from './allowed-scopes.ts'
import { KeyPath, MintedKey, toApiKey } from './key.ts'

const longestOverlapSeconds = 7 * 24 * 3600

export const rotateKey = operation({
  id: 'rotateKey',
  method: 'POST',
  url: '/profiles/:profileId/keys/:keyId/rotate',
  summary: 'Replace an API key by a new one',
  description:
    'The new key has the name, limit, expiry and scopes of the old one, less those that are forbidden by now. The old key ends at once, or after the overlap.',
  tags: ['Keys'],
  auth: ['app', 'session'],
  scopes: ['profiles:write'],
  idempotency: 'optional header',
  needsEntitlement: false,
  params: KeyPath,
  body: z
    .object({
      overlap_seconds: z
        .int()
        .min(0)
        .max(longestOverlapSeconds)
        .default(0)
        .meta({
          description: 'How long the old key goes on working, up to a week.',
          examples: [3600],
        }),
    })
    .prefault({}),
  response: one(MintedKey),
  status: 201,
  errors: ['not_found'],
  handler: async ({ params, body, credential, profile, execution }) => {
    checkMayManageKeys(credential)
    const tx = await execution.transaction()
    const old = await holdApiKey(tx, profile.id, params.keyId, credential.appId)
    if (!old) throw new ApiError('not_found', 'This profile has no active key with that id.')
    const scopes = await remainingScopes(tx, credential, profile.id, old.scopes)
    const { key, keyId, stored } = await createApiKey(tx, {
      profileId: profile.id,
      appId: old.appId ?? undefined,
      createdBy: credential.userId ?? undefined,
      name: old.name ?? undefined,
      scopes,
      rateLimitPerMinute: old.rateLimitPerMinute,
      expiresAt: old.expiresAt ?? undefined,
    })
    await giveWay(tx, old.id, keyId, body.overlap_seconds)
    return { ...toApiKey(stored), key }
  },
})
