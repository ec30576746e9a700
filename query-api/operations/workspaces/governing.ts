import type { Credential, Workspace } from '../../../domain/credentials.ts'
import { isAdministrator, mayGovern, type Role } from '../../../domain/roles.ts'
import { ApiError } from '../../../http/operation.ts'

/** Owners and admins, and the app that made the workspace. */
export function checkGovernsWorkspace({ role, appId }: Credential, workspace: Workspace): void {
  if (isAdministrator(role) || (appId !== null && appId === workspace.provisioningAppId)) return
  throw new ApiError('forbidden', 'Only owners and admins of a workspace may do this.')
}

/** Who may make or unmake whom. */
export function checkGovernsRole({ role }: Credential, ...concerned: Role[]): void {
  if (mayGovern(role, ...concerned)) return
  const who = role === 'admin' ? 'Only an owner makes or unmakes owners.' : 'Only owners and admins may do this.'
  throw new ApiError('forbidden', who)
}

/** A workspace without an owner could never be governed again. */
export function checkKeepsOwner(owners: number, before: Role, after: Role | undefined): void {
  if (before === 'owner' && after !== 'owner' && owners <= 1) {
    throw new ApiError('invalid_state', 'A workspace keeps at least one owner.', { reason: 'last_owner' })
  }
}
