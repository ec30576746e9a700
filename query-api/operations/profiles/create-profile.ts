import type pg from 'pg'
import { z } from 'zod'
import { type Profile as Bound, type Credential, isHealthcare } from '../../../domain/credentials.ts'
import { isAdministrator } from '../../../domain/roles.ts'
import { isScope, withoutPersons } from '../../../domain/scopes.ts'
import { ApiError, fieldError, one } from '../../../http/operation.ts'
import { serveNobody } from '../../../postgres/as-profile.ts'
import { findLiveApp } from '../../../postgres/stores/apps.ts'
import { grantApp } from '../../../postgres/stores/grants.ts'
import { holdPlan, readProfile } from '../../../postgres/stores/profiles.ts'
import { findAppsWorkspace, findMembersWorkspace } from '../../../postgres/stores/standing.ts'
import { addProfile } from '../../../postgres/stores/tenancy.ts'
import { membershipsOf } from '../../../postgres/stores/users.ts'
import { operation } from '../../operation.ts'
import { checkRoom } from './governing.ts'
import { Currency, PrivacyMode, Profile, ProfileName, TimeZone, toProfile } from './profile.ts'

export const createProfile = operation({
  id: 'createProfile',
  method: 'POST',
  url: '/profiles',
  summary: 'Create a profile',
  description:
    'It begins with the default conversion definitions. A person creates in a workspace that they govern. An app gets a grant on what it ' +
    'provisions, and a workspace for it unless it names one that it made; writes wait until it enables the entitlement.',
  tags: ['Profiles'],
  grain: 'caller',
  scopes: ['profiles:write'],
  idempotency: 'optional header',
  body: z.object({
    name: ProfileName,
    workspace_id: z.string().optional().meta({
      description: 'Needed by people who belong to several workspaces.',
    }),
    reporting_currency: Currency.default('USD'),
    timezone: TimeZone.default('UTC'),
    privacy_mode: PrivacyMode.default('standard'),
  }),
  response: one(Profile),
  status: 201,
  errors: ['profile_limit_reached', 'not_found', 'forbidden'],
  handler: async ({ body, credential, profile, execution }) => {
    const tx = await execution.transaction()
    // A new profile is nobody's yet, so that no profile's own rows can be written here.
    await serveNobody(tx)
    const workspaceId = await placeFor(tx, credential, profile, body.workspace_id)
    if (workspaceId) checkRoom(await holdPlan(tx, workspaceId))
    const { profileId } = await addProfile(tx, {
      name: body.name,
      workspaceId,
      currency: body.reporting_currency,
      timezone: body.timezone,
      privacyMode: body.privacy_mode,
      provisioningAppId: credential.appId ?? undefined,
    })
    const created = await readProfile(tx, profileId)
    if (credential.appId) {
      const app = await findLiveApp(tx, credential.appId)
      const scopes = (app?.scopes ?? []).filter(isScope)
      const isClosed = created?.isHealthcare ?? isHealthcare({})
      await grantApp(tx, { appId: credential.appId, profileId, scopes: isClosed ? withoutPersons(scopes) : scopes })
    }
    return toProfile(created!)
  },
})

/** The workspace that the profile goes to; nothing where an app gets a new one. */
async function placeFor(
  tx: pg.PoolClient,
  { appId, userId }: Credential,
  bound: Bound | undefined,
  asked: string | undefined,
): Promise<string | undefined> {
  const unknown = () => new ApiError('not_found', 'There is no such workspace.')
  if (bound) {
    if (asked !== undefined && asked.toLowerCase() !== bound.workspaceId) throw unknown()
    return bound.workspaceId
  }
  if (userId !== null) {
    const mine = asked === undefined ? await membershipsOf(tx, userId) : []
    const only = mine.length === 1 ? mine[0]?.workspaceId : undefined
    const id = asked ?? only
    if (id === undefined) {
      const message = mine.length === 0 ? 'create a workspace first' : 'say in which of your workspaces'
      throw fieldError('validation_error', 'workspace_id', message)
    }
    const found = await findMembersWorkspace(tx, userId, id)
    if (!found) throw unknown()
    if (!isAdministrator(found.role)) throw new ApiError('forbidden', 'Only owners and admins create profiles.')
    return found.workspace.id
  }
  if (asked === undefined) return undefined
  const found = appId === null ? undefined : await findAppsWorkspace(tx, appId, asked)
  if (!found) throw unknown()
  return found.id
}
