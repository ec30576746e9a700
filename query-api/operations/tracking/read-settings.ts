import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { readTrackingSettings } from '../../../postgres/stores/tracking-settings.ts'
import { operation } from '../../tracking-operation.ts'
import { TrackingSettings } from './tracking-settings.ts'

export const readSettings = operation({
  id: 'readTrackingSettings',
  method: 'GET',
  url: '/tracking/settings',
  summary: 'Read the settings of the tracker',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  response: one(TrackingSettings),
  handler: ({ profile, postgres }) => asProfile(postgres, profile.id, (tx) => readTrackingSettings(tx, profile.id)),
})
