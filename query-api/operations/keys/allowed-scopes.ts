import type pg from 'pg'
import type { Credential } from '../../../domain/credentials.ts'
import { isAdministrator } from '../../../domain/roles.ts'
import { beyond, isAdministrative, isPersonal, isScope, type Scope, withoutPersons } from '../../../domain/scopes.ts'
import { ApiError, fieldError } from '../../../http/operation.ts'
import { serveNobody, serveProfile } from '../../../postgres/as-profile.ts'
import { holdGrant } from '../../../postgres/stores/grants.ts'
import { holdProfile } from '../../../postgres/stores/profiles.ts'

/** Keys are the business of the app that holds them, and of those who govern the workspace. */
export function checkMayManageKeys({ kind, role }: Credential): void {
  if (kind === 'app' || isAdministrator(role)) return
  throw new ApiError('forbidden', 'Only owners and admins of a workspace manage its keys.')
}

/** The scopes of a new key: those asked for, all of which must be possible, or everything that the grant has to give. */
export async function allowedScopes(
  tx: pg.PoolClient,
  credential: Credential,
  profileId: string,
  asked: readonly Scope[] | undefined,
): Promise<Scope[]> {
  const { isHealthcare, given } = await hold(tx, credential, profileId)
  if (isHealthcare && asked?.some(isPersonal)) throw new ApiError('healthcare_scope_forbidden')
  if (given === 'any') {
    if (asked) return [...new Set(asked)]
    throw fieldError('validation_error', 'scopes', 'name those that the key is to have')
  }
  const missing = beyond(asked ?? [], given)
  if (missing.length > 0) {
    throw new ApiError('insufficient_scope', `The grant does not cover ${missing.join(', ')}.`, {
      required_scopes: missing,
    })
  }
  return atLeastOne(asked ? [...new Set(asked)] : given)
}

/** What is left of the scopes of a key that is replaced. */
export async function remainingScopes(
  tx: pg.PoolClient,
  credential: Credential,
  profileId: string,
  old: readonly string[],
): Promise<Scope[]> {
  const { isHealthcare, given } = await hold(tx, credential, profileId)
  const kept = isHealthcare ? withoutPersons(old.filter(isScope)) : old.filter(isScope)
  return atLeastOne(given === 'any' ? kept : kept.filter((scope) => beyond([scope], given).length === 0))
}

/** The profile's status and the grant stay as they are until the transaction ends: neither can become stricter meanwhile. */
async function hold(tx: pg.PoolClient, credential: Credential, profileId: string) {
  await serveNobody(tx)
  const profile = await holdProfile(tx, profileId)
  await serveProfile(tx, profileId)
  // A status that cannot be read counts as healthcare (SPEC 5.5).
  const isHealthcare = profile?.isHealthcare ?? true
  return { isHealthcare, given: await givenScopes(tx, credential, { profileId, isHealthcare }) }
}

/** Of an app: what its grant says and its token holds. An owner or admin gives what they like. */
async function givenScopes(
  tx: pg.PoolClient,
  credential: Credential,
  { profileId, isHealthcare }: { profileId: string; isHealthcare: boolean },
): Promise<Scope[] | 'any'> {
  if (credential.appId === null) return 'any'
  const granted = ((await holdGrant(tx, credential.appId, profileId)) ?? []).filter(isScope)
  const own = [...credential.scopes].filter((scope) => !isAdministrative(scope))
  return (isHealthcare ? withoutPersons(granted) : granted).filter((scope) => beyond([scope], own).length === 0)
}

function atLeastOne(scopes: Scope[]): Scope[] {
  if (scopes.length === 0) throw new ApiError('insufficient_scope', 'Nothing is left that the key could do.')
  return scopes
}
