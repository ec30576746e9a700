import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { revokeTrackingKey as revoke } from '../../../postgres/stores/tracking-keys.ts'
import { operation } from '../../operation.ts'
import { TrackingKey, toTrackingKey } from './tracking-key.ts'

export const revokeTrackingKey = operation({
  id: 'revokeTrackingKey',
  method: 'DELETE',
  url: '/tracking/keys/:id',
  summary: 'Revoke a tracking key',
  description: 'The collector refuses its hits from then on.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  // Any text: a malformed id answers like an unknown one.
  params: z.object({ id: z.string() }),
  response: one(TrackingKey),
  errors: ['not_found'],
  handler: async ({ params, profile, postgres }) => {
    const revoked = await asProfile(postgres, profile.id, (tx) => revoke(tx, profile.id, params.id))
    if (!revoked) throw new ApiError('not_found', 'This profile has no active tracking key with that id.')
    return toTrackingKey(revoked)
  },
})
