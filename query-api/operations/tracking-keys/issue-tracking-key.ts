import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { issueTrackingKey as issue } from '../../../postgres/stores/tracking-keys.ts'
import { operation } from '../../operation.ts'
import { TrackingKey, toTrackingKey } from './tracking-key.ts'

export const issueTrackingKey = operation({
  id: 'issueTrackingKey',
  method: 'POST',
  url: '/tracking/keys',
  summary: 'Issue the tracking key of the profile',
  description: 'A profile has one active key: a new one answers 201, the one that there is 200.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  response: one(TrackingKey),
  status: [200, 201],
  handler: async ({ profile, postgres, reply }) => {
    const { trackingKey, isNew } = await asProfile(postgres, profile.id, (tx) => issue(tx, profile.id))
    if (isNew) reply.status(201)
    return toTrackingKey(trackingKey)
  },
})
