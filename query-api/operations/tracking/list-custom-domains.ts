import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listCustomDomains as list } from '../../../postgres/stores/custom-domains.ts'
import { operation } from '../../tracking-operation.ts'
import { CustomDomain, toCustomDomain } from './custom-domain.ts'

export const listCustomDomains = operation({
  id: 'listCustomDomains',
  method: 'GET',
  url: '/tracking/custom-domains',
  summary: 'List first-party tracking domains',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  response: page(CustomDomain),
  handler: async ({ profile, postgres, trackerUrl }) =>
    (await asProfile(postgres, profile.id, (tx) => list(tx, profile.id))).map((one) => toCustomDomain(one, trackerUrl)),
})
