import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { changeTrackingSettings } from '../../../postgres/stores/tracking-settings.ts'
import { operation } from '../../tracking-operation.ts'
import { TrackingSettings, TrackingSettingsChange } from './tracking-settings.ts'

export const changeSettings = operation({
  id: 'changeTrackingSettings',
  method: 'PATCH',
  url: '/tracking/settings',
  summary: 'Change settings of the tracker',
  description:
    'What is not named stays as it is; the answer is the whole. The collector follows within seconds, pages with the next snippet they are given.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  body: TrackingSettingsChange,
  response: one(TrackingSettings),
  handler: ({ body, profile, postgres }) =>
    asProfile(postgres, profile.id, (tx) =>
      changeTrackingSettings(
        tx,
        profile.id,
        // A setting that is not named is not in the JSON, and so is not changed.
        JSON.parse(JSON.stringify(body)),
      ),
    ),
})
