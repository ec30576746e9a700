import { z } from 'zod'
import { isScope, withoutPersons } from '../../../domain/scopes.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { findLiveApp } from '../../../postgres/stores/apps.ts'
import { grantApp } from '../../../postgres/stores/grants.ts'
import { changeProfile, holdProfile, readProfile, setEntitlement as set } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { PrivacyMode, Profile, toProfile } from './profile.ts'

export const setEntitlement = operation({
  id: 'setEntitlement',
  method: 'PUT',
  url: '/profiles/:profileId/entitlements/atribu_attribution',
  summary: 'Switch attribution on or off for a profile that the app provisioned',
  description:
    'Only the app that provisioned the profile may. A `privacy_mode` is written first; then the app’s grant gets what the app may ' +
    'ask for on a profile of that mode. While it is off, writes answer 409 `entitlement_required`; reads are unaffected.',
  tags: ['Profiles'],
  auth: ['app', 'api_key'],
  scopes: ['profiles:write', 'attribution:write'],
  idempotency: 'natural',
  needsEntitlement: false,
  params: z.object({ profileId: z.string() }),
  body: z.object({ enabled: z.boolean(), privacy_mode: PrivacyMode.optional() }),
  response: one(Profile),
  errors: ['forbidden'],
  handler: async ({ body, credential, profile, postgres }) => {
    const { appId } = credential
    if (appId === null || appId !== profile.provisioningAppId) {
      throw new ApiError('forbidden', 'Only the app that provisioned this profile may do this.')
    }
    const changed = await transaction(postgres, async (tx) => {
      // SPEC 5.5: the mode stands before the grant widens, so that nothing is given for a moment that the mode forbids.
      if (body.privacy_mode) await changeProfile(tx, profile.id, { privacyMode: body.privacy_mode })
      await set(tx, profile.id, body.enabled)
      if (body.enabled) {
        const scopes = ((await findLiveApp(tx, appId))?.scopes ?? []).filter(isScope)
        const isHealthcare = (await holdProfile(tx, profile.id))?.isHealthcare ?? true
        await grantApp(tx, { appId, profileId: profile.id, scopes: isHealthcare ? withoutPersons(scopes) : scopes })
      }
      return readProfile(tx, profile.id)
    })
    return toProfile(changed!)
  },
})
