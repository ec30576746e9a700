import { z } from 'zod'
import { tierLimits } from '../../../http/authenticate-token.ts'
import { fieldError, one } from '../../../http/operation.ts'
import { createApiKey } from '../../../postgres/stores/api-keys.ts'
import { operation } from '../../operation.ts'
import { allowedScopes, checkMayManageKeys } from './allowed-scopes.ts'
import { MintedKey, Scope, toApiKey } from './key.ts'

export const mintKey = operation({
  id: 'mintKey',
  method: 'POST',
  url: '/profiles/:profileId/keys',
  summary: 'Mint an API key for a profile',
  description:
    'An app mints with its token, within its grant on the profile; an owner or admin of the workspace mints in a session. ' +
    'Without `scopes` an app’s key gets what the grant has, less what is forbidden on the profile. The key is shown once.',
  tags: ['Keys'],
  auth: ['app', 'session'],
  scopes: ['profiles:write'],
  idempotency: 'optional header',
  needsEntitlement: false,
  params: z.object({ profileId: z.string() }),
  body: z.object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .meta({ examples: ['Reporting'] }),
    scopes: z.array(Scope).min(1).max(30).optional(),
    rate_limit_per_minute: z.int().min(1).max(tierLimits.internal).optional().meta({
      description: 'Requests a minute, 300 by default; an app gives its keys no more than its tier has.',
    }),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  }),
  response: one(MintedKey),
  status: 201,
  errors: ['healthcare_scope_forbidden'],
  handler: async ({ body, credential, profile, execution, request }) => {
    checkMayManageKeys(credential)
    const expiresAt = body.expires_at === undefined ? undefined : new Date(body.expires_at)
    if (expiresAt && expiresAt <= request.receivedAt) {
      throw fieldError('validation_error', 'expires_at', 'must be in the future')
    }
    const rateLimitPerMinute = body.rate_limit_per_minute
    if (credential.kind === 'app' && (rateLimitPerMinute ?? 0) > credential.rateLimitPerMinute) {
      const message = `must be at most ${credential.rateLimitPerMinute}`
      throw fieldError('validation_error', 'rate_limit_per_minute', message)
    }
    const tx = await execution.transaction()
    const scopes = await allowedScopes(tx, credential, profile.id, body.scopes)
    const { key, stored } = await createApiKey(tx, {
      profileId: profile.id,
      appId: credential.appId ?? undefined,
      createdBy: credential.userId ?? undefined,
      name: body.name,
      scopes,
      rateLimitPerMinute,
      expiresAt,
    })
    return { ...toApiKey(stored), key }
  },
})
