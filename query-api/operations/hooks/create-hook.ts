import { z } from 'zod'
import { providerMessage, providerShape } from '../../../domain/provider-name.ts'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { createHookEndpoint } from '../../../postgres/stores/hook-endpoints.ts'
import { operation } from '../../hook-operation.ts'
import { EndpointWithSecret, Provider, Secret, secretFor, toEndpoint } from './endpoint.ts'

export const createHook = operation({
  id: 'createHook',
  method: 'POST',
  url: '/hooks',
  summary: 'Make an address for a provider’s notifications',
  description:
    'The secret is in this answer alone. Where the provider chooses the secret, give it here or by a rotation.',
  tags: ['Hooks'],
  scopes: ['connections:write'],
  body: z
    .object({
      provider: Provider,
      source: z
        .string()
        .trim()
        .toLowerCase()
        .regex(providerShape, { error: providerMessage })
        .nullish()
        .meta({
          description: 'For a generic address: the name of the CRM or payment provider.',
          examples: ['hubspot'],
        }),
      secret: Secret,
    })
    .superRefine(({ provider, source }, context) => {
      if (provider !== 'generic' && source && source !== provider) {
        context.addIssue({ code: 'custom', path: ['source'], message: 'is for generic addresses alone' })
      }
    })
    .meta({ id: 'NewHookEndpoint' }),
  response: one(EndpointWithSecret),
  status: 201,
  handler: async ({ body, profile, postgres, hookSeals, baseUrl }) => {
    const secret = secretFor(body.provider, body.secret)
    const source = body.source ?? body.provider
    const endpoint = await asProfile(postgres, profile.id, (tx) =>
      createHookEndpoint(tx, hookSeals, { profileId: profile.id, provider: body.provider, source, secret }),
    )
    return { ...toEndpoint(endpoint, baseUrl), secret }
  },
})
