import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listTrackingKeys as list } from '../../../postgres/stores/tracking-keys.ts'
import { operation } from '../../operation.ts'
import { TrackingKey, toTrackingKey } from './tracking-key.ts'

export const listTrackingKeys = operation({
  id: 'listTrackingKeys',
  method: 'GET',
  url: '/tracking/keys',
  summary: 'List the active tracking keys',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  response: page(TrackingKey),
  handler: async ({ profile, postgres }) =>
    (await asProfile(postgres, profile.id, (tx) => list(tx, profile.id))).map(toTrackingKey),
})
