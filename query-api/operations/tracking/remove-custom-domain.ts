import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { removeCustomDomain as remove } from '../../../postgres/stores/custom-domains.ts'
import { operation } from '../../tracking-operation.ts'
import { CustomDomain, toCustomDomain } from './custom-domain.ts'

export const removeCustomDomain = operation({
  id: 'removeCustomDomain',
  method: 'DELETE',
  url: '/tracking/custom-domains/:id',
  summary: 'Remove a first-party tracking domain',
  description: 'It is no longer served within seconds. Pages that still name it send nowhere.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  // Any text: a malformed id answers like an unknown one.
  params: z.object({ id: z.string() }),
  response: one(CustomDomain),
  errors: ['not_found'],
  handler: async ({ params, profile, postgres, trackerUrl }) => {
    const removed = await asProfile(postgres, profile.id, (tx) => remove(tx, profile.id, params.id))
    if (!removed) throw new ApiError('not_found', 'This profile has no tracking domain with that id.')
    return toCustomDomain(removed, trackerUrl)
  },
})
