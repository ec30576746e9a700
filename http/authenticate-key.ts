import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { hashSecret, isSameHash, parseApiKey } from '../domain/api-keys.ts'
import { scopesOn } from '../domain/credentials.ts'
import { whenThere } from '../domain/prompt.ts'
import { expandScopes, isAdministrative } from '../domain/scopes.ts'
import { findApiKey, type StoredApiKey, touchApiKey } from '../postgres/stores/api-keys.ts'
import { findWorkspace } from '../postgres/stores/standing.ts'
import { briefly, markUsed } from './brief-cache.ts'
import { type Authenticate, bearerToken, type Caller, unauthorized } from './caller.ts'

/** API keys, each bound to one profile. */
export function apiKeyAuthentication(postgres: pg.Pool, clock: () => number = Date.now): Authenticate {
  const lookUp = briefly(async (id: string) => {
    const key = await findApiKey(postgres, id)
    if (key) markUsed(key.lastUsedAt, clock(), () => touchApiKey(postgres, id))
    return key
  }, clock)

  /** A stored key is the same object until it is read again, and what it may do does not change meanwhile. */
  const callers = new WeakMap<StoredApiKey, Caller>()
  const callerWith = (key: StoredApiKey): Caller => {
    const known = callers.get(key)
    if (known) return known
    const caller = callerOf(postgres, key)
    callers.set(key, caller)
    return caller
  }

  const fingerprintOf = fingerprints()

  return (presented) => {
    const token = bearerToken(presented)
    const shown = token === undefined ? undefined : fingerprintOf(token)
    if (!shown) throw unauthorized()
    return whenThere(lookUp(shown.id), (key) => {
      const isLive = key && !key.revokedAt && (!key.expiresAt || key.expiresAt.getTime() > clock())
      if (!isLive || !isSameHash(shown.secretHash, key.secretHash)) throw unauthorized()
      return callerWith(key)
    })
  }
}

const maxFingerprints = 1000

/** What a key says of itself. A caller shows the same one in every request: parsing and hashing it is most of the check. */
function fingerprints() {
  const lately = new LRUCache<string, { id: string; secretHash: Buffer }>({ max: maxFingerprints })
  return (token: string) => {
    const known = lately.get(token)
    if (known) return known
    const parts = parseApiKey(token)
    if (!parts) return undefined
    const fingerprint = { id: parts.id, secretHash: hashSecret(parts.secret) }
    lately.set(token, fingerprint)
    return fingerprint
  }
}

function callerOf(postgres: pg.Pool, key: StoredApiKey): Caller {
  const { profile } = key
  const standing = { scopes: scopesOn(profile, { kind: 'api_key' }, heldBy(key)), role: null }
  const ownProfile = { profile, ...standing }
  return {
    credential: {
      kind: 'api_key',
      id: key.id,
      appId: key.appId,
      userId: null,
      ...standing,
      rateLimitPerMinute: key.rateLimitPerMinute,
    },
    boundTo: profile.id,
    inProfile: (id) => (id.toLowerCase() === profile.id ? ownProfile : undefined),
    inWorkspace: async (id) => {
      if (id.toLowerCase() !== profile.workspaceId) return undefined
      const workspace = await findWorkspace(postgres, profile.workspaceId)
      return workspace && { workspace, ...standing }
    },
  }
}

/** A delegated key never does more than its app's grant allows today; what an app holds by itself is in no grant. */
function heldBy({ scopes, grantedScopes }: StoredApiKey) {
  const held = expandScopes(scopes)
  if (grantedScopes === null) return held
  const granted = expandScopes(grantedScopes)
  return new Set([...held].filter((scope) => granted.has(scope) || isAdministrative(scope)))
}
