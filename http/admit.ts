import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Credential } from '../domain/credentials.ts'
import { isPersonal } from '../domain/scopes.ts'
import type { Authenticate, Caller } from './caller.ts'
import { ApiError } from './errors.ts'
import type { Operation } from './operation.ts'
import { type RateLimiter, rateLimitClasses } from './rate-limit.ts'

export interface Door {
  authenticate: Authenticate
  rateLimiter: RateLimiter
}

/** Who calls, whether they have a place left, what they concern, whether they may: in this order, before the body. */
export async function admit(request: FastifyRequest, reply: FastifyReply, operation: Operation<never>, door: Door) {
  const caller = await door.authenticate(request)
  request.credential = caller.credential
  await takePlace(reply, caller.credential, operation, door.rateLimiter)
  checkKind(caller.credential, operation)
  await settle(request, caller, operation)
  if (!operation.isOwnAccount) checkScope(request, operation)
  if (operation.needsEntitlement && request.profile?.isEntitled === false) throw new ApiError('entitlement_required')
}

async function takePlace(
  reply: FastifyReply,
  credential: Credential,
  operation: Operation<never>,
  limiter: RateLimiter,
) {
  const limit = credential.rateLimitPerMinute * rateLimitClasses[operation.rateLimit]
  const verdict = await limiter(`${credential.kind}:${credential.id}:${operation.rateLimit}`, limit)
  reply.header('x-ratelimit-limit', verdict.limit)
  reply.header('x-ratelimit-remaining', verdict.remaining)
  reply.header('x-ratelimit-reset', Math.floor(Date.now() / 1000) + verdict.resetInSeconds)
  if (verdict.isAllowed) return
  throw new ApiError('rate_limit_exceeded', `At most ${limit} requests a minute are possible.`, {
    retry_after: verdict.resetInSeconds,
  })
}

function checkKind({ kind }: Credential, { auth }: Operation<never>) {
  if (auth.includes(kind)) return
  if (auth.length === 1 && auth[0] === 'api_key') throw new ApiError('api_key_required')
  throw new ApiError('forbidden', 'This kind of credential is not accepted here.')
}

/** Finds what the request concerns; what the caller has no part in answers like what does not exist. */
async function settle(request: FastifyRequest, caller: Caller, operation: Operation<never>) {
  const params = request.params as Record<string, string | undefined>
  const hold = ({ scopes, role }: Pick<Credential, 'scopes' | 'role'>) => {
    request.credential = { ...caller.credential, scopes, role }
  }
  const enterProfile = async (id: string) => {
    const found = await caller.inProfile(id)
    if (!found) throw new ApiError('not_found', 'There is no such profile.')
    request.profile = found.profile
    hold(found)
  }
  if (operation.grain === 'profile') {
    const id = params.profileId ?? named(request) ?? caller.boundTo
    if (id !== undefined) return enterProfile(id)
    throw new ApiError('invalid_parameter', 'Name the profile in the X-Profile-Id header.')
  }
  if (caller.boundTo !== undefined) await enterProfile(caller.boundTo)
  if (operation.grain === 'workspace') {
    const found = await caller.inWorkspace(params.workspaceId ?? '')
    if (!found) throw new ApiError('not_found', 'There is no such workspace.')
    request.workspace = found.workspace
    hold(found)
  }
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
