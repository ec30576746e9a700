import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Credential } from '../domain/credentials.ts'
import { type Prompt, whenThere } from '../domain/prompt.ts'
import { isPersonal } from '../domain/scopes.ts'
import type { Authenticate, Caller, Standing } from './caller.ts'
import { ApiError } from './errors.ts'
import type { Operation } from './operation.ts'
import { type RateLimiter, rateLimitClasses, type Verdict } from './rate-limit.ts'

export interface Door {
  authenticate: Authenticate
  rateLimiter: RateLimiter
}

/** Who calls, whether they have a place left, what they concern, whether they may: in this order, before the body. */
export async function admit(request: FastifyRequest, reply: FastifyReply, operation: Operation<never>, door: Door) {
  const authenticated = door.authenticate(request)
  const caller = authenticated instanceof Promise ? await authenticated : authenticated
  request.credential = caller.credential
  const limit = caller.credential.rateLimitPerMinute * rateLimitClasses[operation.rateLimit]
  const place = door.rateLimiter(placeOf(caller.credential, operation), limit)
  tellPlace(reply, place instanceof Promise ? await place : place)
  checkKind(caller.credential, operation)
  const settled = settle(request, caller, operation)
  if (settled) await settled
  if (!operation.isOwnAccount) checkScope(request, operation)
  if (operation.needsEntitlement && request.profile?.isEntitled === false) throw new ApiError('entitlement_required')
}

const placeOf = ({ kind, id }: Credential, { rateLimit }: Operation<never>) => `${kind}:${id}:${rateLimit}`

function tellPlace(reply: FastifyReply, { isAllowed, limit, remaining, resetInSeconds }: Verdict) {
  reply.header('x-ratelimit-limit', limit)
  reply.header('x-ratelimit-remaining', remaining)
  reply.header('x-ratelimit-reset', Math.floor(Date.now() / 1000) + resetInSeconds)
  if (isAllowed) return
  throw new ApiError('rate_limit_exceeded', `At most ${limit} requests a minute are possible.`, {
    retry_after: resetInSeconds,
  })
}

function checkKind({ kind }: Credential, { auth }: Operation<never>) {
  if (auth.includes(kind)) return
  if (auth.length === 1 && auth[0] === 'api_key') throw new ApiError('api_key_required')
  throw new ApiError('forbidden', 'This kind of credential is not accepted here.')
}

/** Finds what the request concerns; what the caller has no part in answers like what does not exist. */
function settle(request: FastifyRequest, caller: Caller, operation: Operation<never>): Prompt<void> {
  const params = request.params as Record<string, string | undefined>
  if (operation.grain === 'profile') {
    const id = params.profileId ?? named(request) ?? caller.boundTo
    if (id !== undefined) return enterProfile(request, caller, id)
    throw new ApiError('invalid_parameter', 'Name the profile in the X-Profile-Id header.')
  }
  const entered = caller.boundTo === undefined ? undefined : enterProfile(request, caller, caller.boundTo)
  if (operation.grain !== 'workspace') return entered
  return whenThere(entered, () => enterWorkspace(request, caller, params.workspaceId ?? ''))
}

const enterProfile = (request: FastifyRequest, caller: Caller, id: string): Prompt<void> =>
  whenThere(caller.inProfile(id), (found) => {
    if (!found) throw new ApiError('not_found', 'There is no such profile.')
    request.profile = found.profile
    hold(request, caller, found)
  })

const enterWorkspace = (request: FastifyRequest, caller: Caller, id: string): Prompt<void> =>
  whenThere(caller.inWorkspace(id), (found) => {
    if (!found) throw new ApiError('not_found', 'There is no such workspace.')
    request.workspace = found.workspace
    hold(request, caller, found)
  })

function hold(request: FastifyRequest, { credential }: Caller, { scopes, role }: Standing) {
  const isAsBefore = credential.scopes === scopes && credential.role === role
  request.credential = isAsBefore ? credential : { ...credential, scopes, role }
}

function named({ headers }: FastifyRequest): string | undefined {
  const value = headers['x-profile-id']
  return Array.isArray(value) ? value[0] : value
}

function checkScope({ credential, profile }: FastifyRequest, { scopes, onHealthcare }: Operation<never>) {
  if (scopes.some((scope) => credential?.scopes.has(scope))) return
  // Nothing that opens persons can be held here, so naming a scope would send the caller after what nobody can grant.
  if (profile?.isHealthcare && scopes.every(isPersonal)) throw new ApiError(onHealthcare)
  throw new ApiError('insufficient_scope', `This operation needs ${scopes.join(' or ')}.`, {
    required_scopes: [...scopes],
  })
}
