import { getDomain } from 'tldts'
import { z } from 'zod'
import { isHostName } from '../../../domain/tracking-settings.ts'
import { ApiError, fieldError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { registerCustomDomain as register } from '../../../postgres/stores/custom-domains.ts'
import { operation } from '../../tracking-operation.ts'
import { CustomDomain, toCustomDomain } from './custom-domain.ts'

const mostDomains = 20

/** A name that somebody can own: not a public suffix, and not one of ours. */
// What is said of it stands before the transform: the description shows what goes in.
const Host = z
  .string()
  .meta({ description: 'A name of its own, best a subdomain of the site.', examples: ['t.example.com'] })
  .transform((text) => text.trim().toLowerCase().replace(/\.$/, ''))
  .refine((host) => isHostName(host) && getDomain(host, { allowPrivateDomains: true }) !== null, {
    error: 'must be a full host name, like t.example.com',
  })

export const registerCustomDomain = operation({
  id: 'registerCustomDomain',
  method: 'POST',
  url: '/tracking/custom-domains',
  summary: 'Register a first-party tracking domain',
  description:
    'The answer says which DNS records to make. The domain is served after a check has found them. A host that is registered already answers 200 with what there is.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  body: z.strictObject({ host: Host }).meta({ id: 'NewCustomDomain' }),
  response: one(CustomDomain),
  status: [201, 200],
  errors: ['invalid_state'],
  handler: async ({ body, profile, postgres, trackerUrl, reply }) => {
    const own = new URL(trackerUrl).hostname
    if (body.host === own || body.host.endsWith(`.${own}`)) {
      throw fieldError('validation_error', 'host', 'must not be a name of this service')
    }
    const registered = await asProfile(postgres, profile.id, (tx) => register(tx, profile.id, body.host, mostDomains))
    if (!registered) throw new ApiError('invalid_state', `A profile has at most ${mostDomains} tracking domains.`)
    if (!registered.isNew) reply.status(200)
    return toCustomDomain(registered.domain, trackerUrl)
  },
})
