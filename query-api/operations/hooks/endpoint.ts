import { z } from 'zod'
import { hookAddress } from '../../../domain/hooks/address.ts'
import { isHookSecret, newHookSecret } from '../../../domain/hooks/secrets.ts'
import { ApiError, fieldError } from '../../../http/operation.ts'
import { type HookEndpoint, hookProviderNames } from '../../../postgres/stores/hook-endpoints.ts'

export const Provider = z.enum(hookProviderNames).meta({
  description: 'Whose notifications: stripe, shopify, or generic for any other that signs as Standard Webhooks do.',
})

export const Endpoint = z
  .object({
    id: z.uuid(),
    provider: Provider,
    source: z.string().meta({ description: 'The provider that its payments and outcomes are filed under.' }),
    address: z.url().meta({ description: 'What the provider is told to call.' }),
    created_at: z.iso.datetime(),
    rotation_ends_at: z.iso.datetime().nullable().meta({ description: 'Until then the secret before verifies too.' }),
  })
  .meta({ id: 'HookEndpoint' })

export const EndpointWithSecret = Endpoint.extend({
  secret: z.string().meta({ description: 'What notifications are signed with. Shown this once.' }),
}).meta({ id: 'HookEndpointWithSecret' })

export const Secret = z.string().max(255).nullish().meta({
  description: 'The secret that the provider shows for the address; a new one is made where it is left out.',
})

export const toEndpoint = (endpoint: HookEndpoint, baseUrl: string): z.infer<typeof Endpoint> => ({
  id: endpoint.id,
  provider: endpoint.provider,
  source: endpoint.source,
  address: hookAddress(baseUrl, endpoint),
  created_at: endpoint.createdAt.toISOString(),
  rotation_ends_at: endpoint.previousUntil?.toISOString() ?? null,
})

export function secretFor(provider: string, sent: string | null | undefined): string {
  const secret = sent ?? newHookSecret()
  if (isHookSecret(provider, secret)) return secret
  const message = 'must have 16 to 255 visible characters; a generic one is whsec_ and at least 16 bytes in base64'
  throw fieldError('validation_error', 'secret', message)
}

export const unknownEndpoint = () =>
  new ApiError('not_found', 'This profile has no live notification address with that id.')
