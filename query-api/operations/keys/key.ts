import { z } from 'zod'
import { scopes } from '../../../domain/scopes.ts'
import type { ApiKey as Stored } from '../../../postgres/stores/api-keys.ts'

export const Scope = z.enum(scopes).meta({ id: 'Scope', description: 'A scope; /docs/scopes says what each allows.' })

export const KeyPath = z.object({ profileId: z.string(), keyId: z.string() })

export const ApiKey = z
  .object({
    id: z.string().meta({ examples: ['4fT8sQ0bLx2k'] }),
    name: z.string().nullable(),
    app_id: z.uuid().nullable().meta({ description: 'The app that holds it; null for a key of the workspace itself.' }),
    scopes: z.array(z.string()),
    rate_limit_per_minute: z.int(),
    status: z.enum(['active', 'revoked', 'expired']),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().meta({ description: 'To the minute.' }),
    rotated_to: z.string().nullable().meta({ description: 'The key that takes its place.' }),
  })
  .meta({ id: 'ApiKey' })

export const MintedKey = ApiKey.extend({
  key: z.string().meta({ description: 'The whole key, shown this once.', examples: ['tl_live_4fT8sQ0bLx2k_…'] }),
}).meta({ id: 'MintedApiKey' })

export const toApiKey = (stored: Stored): z.infer<typeof ApiKey> => ({
  id: stored.id,
  name: stored.name,
  app_id: stored.appId,
  scopes: stored.scopes,
  rate_limit_per_minute: stored.rateLimitPerMinute,
  status: stored.revokedAt ? 'revoked' : stored.expiresAt && stored.expiresAt <= new Date() ? 'expired' : 'active',
  created_at: stored.createdAt.toISOString(),
  expires_at: stored.expiresAt?.toISOString() ?? null,
  last_used_at: stored.lastUsedAt?.toISOString() ?? null,
  rotated_to: stored.rotatedTo,
})
