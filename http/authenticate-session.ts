import type pg from 'pg'
import { type CredentialKind, scopesOn } from '../domain/credentials.ts'
import { isUuid } from '../domain/ids.ts'
import { scopesOfRole, scopesOfUser } from '../domain/roles.ts'
import type { Scope } from '../domain/scopes.ts'
import { findSession, isSessionSecret, touchSession } from '../postgres/stores/sessions.ts'
import { findMembersProfile, findMembersWorkspace } from '../postgres/stores/standing.ts'
import { briefly, markUsed } from './brief-cache.ts'
import { type Authenticate, type Caller, unauthorized } from './caller.ts'
import { ApiError } from './errors.ts'
import type { SessionCookies } from './session-cookies.ts'

const sessionRequestsPerMinute = 600
const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Console sessions: a cookie, and for whatever changes something also the proof that our own page sent it. */
export function sessionAuthentication(
  postgres: pg.Pool,
  cookies: SessionCookies,
  clock: () => number = Date.now,
): Authenticate {
  const lookUp = briefly(async (secret: string) => {
    const session = await findSession(postgres, secret)
    if (session) markUsed(session.lastSeenAt, clock(), () => touchSession(postgres, session.id))
    return session
  }, clock)
  const onBehalfOf = personStanding(postgres, clock)

  return async (presented) => {
    const secret = cookies.read(presented)
    const session = secret !== undefined && isSessionSecret(secret) ? await lookUp(secret) : undefined
    if (!session || session.expiresAt.getTime() <= clock()) throw unauthorized()
    if (!safeMethods.includes(presented.method) && !cookies.isOurs(presented, session.id)) {
      throw new ApiError('forbidden', 'Send the csrf_token of the session as X-CSRF-Token, from the same site.', {
        reason: 'csrf',
      })
    }
    return {
      credential: {
        kind: 'session',
        id: session.id,
        appId: null,
        userId: session.userId,
        role: null,
        scopes: scopesOfUser,
        rateLimitPerMinute: sessionRequestsPerMinute,
      },
      boundTo: undefined,
      ...onBehalfOf(session.userId, 'session'),
    }
  }
}

/** A person acts with the scopes of their role; through a token, with those of them that the token holds as well. */
export function personStanding(postgres: pg.Pool, clock: () => number) {
  const profileOf = briefly((key: string) => {
    const [userId = '', profileId = ''] = key.split(' ')
    return findMembersProfile(postgres, userId, profileId)
  }, clock)

  return (
    userId: string,
    kind: CredentialKind,
    only?: ReadonlySet<Scope>,
  ): Pick<Caller, 'inProfile' | 'inWorkspace'> => ({
    async inProfile(id) {
      // Only what can be an id takes a place in the cache.
      const found = isUuid(id) ? await profileOf(`${userId} ${id}`) : undefined
      if (!found) return undefined
      const { profile, role } = found
      const held = only ? scopesOfRole(role).intersection(only) : scopesOfRole(role)
      return { profile, role, scopes: scopesOn(profile, { kind }, held) }
    },
    async inWorkspace(id) {
      const found = await findMembersWorkspace(postgres, userId, id)
      if (!found) return undefined
      const { workspace, role } = found
      return { workspace, role, scopes: only ? scopesOfRole(role).intersection(only) : scopesOfRole(role) }
    },
  })
}
