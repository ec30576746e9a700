import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { changeProfile, readProfile } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { checkGoverns } from './governing.ts'
import { Currency, PrivacyMode, Profile, ProfileName, TimeZone, toProfile } from './profile.ts'

export const updateProfile = operation({
  id: 'updateProfile',
  method: 'PATCH',
  url: '/profiles/:profileId',
  summary: 'Change a profile',
  description:
    'A new currency or time zone makes every figure of the profile be derived again. A healthcare mode at once ends the ' +
    'delegated keys that read persons, and takes those scopes from every grant.',
  tags: ['Profiles'],
  auth: ['session', 'mcp', 'app'],
  scopes: ['profiles:write'],
  idempotency: 'natural',
  needsEntitlement: false,
  params: z.object({ profileId: z.string() }),
  body: z.strictObject({
    name: ProfileName.optional(),
    reporting_currency: Currency.optional(),
    timezone: TimeZone.optional(),
    privacy_mode: PrivacyMode.optional(),
  }),
  response: one(Profile),
  errors: ['forbidden'],
  handler: async ({ body, credential, profile, postgres }) => {
    checkGoverns(credential, profile)
    const changed = await transaction(postgres, async (tx) => {
      await changeProfile(tx, profile.id, {
        name: body.name,
        reportingCurrency: body.reporting_currency,
        timezone: body.timezone,
        privacyMode: body.privacy_mode,
      })
      return readProfile(tx, profile.id)
    })
    return toProfile(changed!)
  },
})
