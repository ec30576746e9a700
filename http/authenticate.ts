import type pg from 'pg'
import { isSecretOf, parseApiKey } from '../domain/api-keys.ts'
import type { Credential, Profile } from '../domain/credentials.ts'
import { expandScopes } from '../domain/scopes.ts'
import { EngineUnavailable } from '../infra/unavailable.ts'
import { findApiKey, type StoredApiKey, touchApiKey } from '../postgres/stores/api-keys.ts'
import { engineFailure } from './engine-failure.ts'
import { ApiError } from './errors.ts'

export interface Authenticated {
  credential: Credential
  profile: Profile
}

/** From the Authorization header to the caller; throws `unauthorized` for whatever is not a live credential. */
export type Authenticate = (authorization: string | undefined) => Promise<Authenticated>

// Well inside the two seconds after which a revoked key must be dead everywhere.
const cacheMs = 1000
const cacheSize = 10_000
const lookupLimitMs = 1500
const usedAgainMs = 60_000

/** One message for every reason, so that nothing is disclosed about which keys exist. */
export const unauthorized = () =>
  new ApiError('unauthorized', undefined, {}, { headers: { 'www-authenticate': 'Bearer realm="touchline"' } })

interface Cached {
  key: Promise<StoredApiKey | undefined>
  until: number
}

/** API keys from Postgres, each read at most once a second and process. */
export function apiKeyAuthentication(postgres: pg.Pool, clock: () => number = Date.now): Authenticate {
  const cache = new Map<string, Cached>()

  const lookUp = (id: string): Promise<StoredApiKey | undefined> => {
    const now = clock()
    const cached = cache.get(id)
    if (cached && cached.until > now) return cached.key
    const key = withinLimit(findApiKey(postgres, id))
    if (cache.size >= cacheSize) cache.clear()
    cache.set(id, { key, until: now + cacheMs })
    key.then(
      (found) => found && markUsed(found, now),
      () => cache.delete(id),
    )
    return key
  }

  const markUsed = (key: StoredApiKey, now: number) => {
    if (key.lastUsedAt && now - key.lastUsedAt.getTime() < usedAgainMs) return
    // Nobody waits for it, and a lost mark only makes the date a minute older.
    touchApiKey(postgres, key.id).catch(() => {})
  }

  return async (authorization) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    const parts = token === undefined ? undefined : parseApiKey(token)
    if (!parts) throw unauthorized()
    const key = await lookUp(parts.id)
    const isLive = key && !key.revokedAt && (!key.expiresAt || key.expiresAt.getTime() > clock())
    if (!isLive || !isSecretOf(parts.secret, key.secretHash)) throw unauthorized()
    return {
      profile: key.profile,
      credential: {
        kind: 'api_key',
        id: key.id,
        appId: key.appId,
        scopes: expandScopes(key.scopes),
        rateLimitPerMinute: key.rateLimitPerMinute,
      },
    }
  }
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineUnavailable('postgres')), lookupLimitMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (cause) {
    throw engineFailure(cause) ? new EngineUnavailable('postgres', { cause }) : cause
  } finally {
    clearTimeout(timer)
  }
}
