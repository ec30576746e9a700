import type { Credential } from '../../../domain/credentials.ts'
import { isAdministrator } from '../../../domain/roles.ts'
import { ApiError } from '../../../http/operation.ts'
import type { PlanRoom } from '../../../postgres/stores/profiles.ts'

/** Owners and admins of the workspace, and the app that provisioned the profile. */
export function checkGoverns(
  { appId, role }: Pick<Credential, 'appId' | 'role'>,
  profile: { provisioningAppId: string | null },
): void {
  if (isAdministrator(role) || (appId !== null && appId === profile.provisioningAppId)) return
  throw new ApiError('forbidden', 'Only owners and admins, or the app that provisioned it, manage a profile.')
}

/** SPEC 7: says what to buy, where there is more to be had. */
export function checkRoom({ activeProfiles, limit, plan, upgrade }: PlanRoom): void {
  if (limit === null || activeProfiles < limit) return
  throw new ApiError('profile_limit_reached', `The plan ${plan} has room for ${limit} active profiles.`, {
    upgrade_required: true,
    upgrade: { plan: upgrade },
  })
}
