import { z } from 'zod'
import { beyond, isAdministrative, isPersonal } from '../../../domain/scopes.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { findLiveApp } from '../../../postgres/stores/apps.ts'
import { grantApp as give } from '../../../postgres/stores/grants.ts'
import { holdProfile } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { Scope } from '../keys/key.ts'
import { checkGoverns } from '../profiles/governing.ts'
import { Grant, toGrant } from './grant.ts'

export const grantApp = operation({
  id: 'grantApp',
  method: 'PUT',
  url: '/profiles/:profileId/grants/:appId',
  summary: 'Let an app act on a profile',
  description:
    'In place of any earlier grant to the app. Its keys hold no more than the grant, from the next request on.',
  tags: ['Grants'],
  auth: ['session'],
  scopes: ['profiles:write'],
  idempotency: 'natural',
  needsEntitlement: false,
  params: z.object({ profileId: z.string(), appId: z.string() }),
  body: z.object({ scopes: z.array(Scope).min(1).max(30) }),
  response: one(Grant),
  errors: ['forbidden', 'not_found', 'healthcare_scope_forbidden'],
  handler: async ({ params, body, credential, profile, postgres }) => {
    checkGoverns(credential, { provisioningAppId: null })
    const scopes = [...new Set(body.scopes)].filter((scope) => !isAdministrative(scope))
    return transaction(postgres, async (tx) => {
      const app = await findLiveApp(tx, params.appId)
      if (!app) throw new ApiError('not_found', 'There is no such app.')
      const isHealthcare = (await holdProfile(tx, profile.id))?.isHealthcare ?? true
      if (isHealthcare && scopes.some(isPersonal)) throw new ApiError('healthcare_scope_forbidden')
      const missing = beyond(scopes, app.scopes)
      if (missing.length > 0) throw new ApiError('insufficient_scope', `The app may not ask for ${missing.join(', ')}.`)
      return toGrant(await give(tx, { appId: app.id, profileId: profile.id, scopes }))
    })
  },
})
