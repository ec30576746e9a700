import type pg from 'pg'
import { scopesOn } from '../domain/credentials.ts'
import { isUuid } from '../domain/ids.ts'
import { scopesOfMcpToken } from '../domain/roles.ts'
import { expandScopes, isAdministrative, type Scope } from '../domain/scopes.ts'
import { type AppTier, findLiveApp } from '../postgres/stores/apps.ts'
import { findMcpToken, touchMcpToken } from '../postgres/stores/mcp-tokens.ts'
import { findAppsWorkspace, findGrantedProfile } from '../postgres/stores/standing.ts'
import type { AccessToken, AccessTokens } from './access-tokens.ts'
import { personStanding } from './authenticate-session.ts'
import { briefly, markUsed } from './brief-cache.ts'
import { type Authenticate, bearerToken, type Caller, unauthorized } from './caller.ts'

/** Requests a minute of a registered app, all its tokens together (SPEC 8). */
export const tierLimits: Record<AppTier, number> = { standard: 300, elevated: 1200, internal: 6000 }

const mcpRequestsPerMinute = 300

/** Signed tokens: those of apps, from the token endpoint, and those that people mint for an MCP client. */
export function tokenAuthentication(
  postgres: pg.Pool,
  tokens: AccessTokens,
  clock: () => number = Date.now,
): Authenticate {
  const findApp = briefly((id: string) => findLiveApp(postgres, id), clock)
  const findMcp = briefly(async (id: string) => {
    const token = await findMcpToken(postgres, id)
    if (token) markUsed(token.lastUsedAt, clock(), () => touchMcpToken(postgres, id))
    return token
  }, clock)
  const onBehalfOf = personStanding(postgres, clock)
  const grantOf = briefly((key: string) => {
    const [appId = '', profileId = ''] = key.split(' ')
    return findGrantedProfile(postgres, appId, profileId)
  }, clock)

  const asApp = async (token: AccessToken): Promise<Caller> => {
    const app = await findApp(token.subject)
    if (!app) throw unauthorized()
    // What the app may not ask for any more, its older tokens no longer hold.
    const own = expandScopes(token.scopes).intersection(expandScopes(app.scopes))
    const administrative = new Set([...own].filter(isAdministrative))
    return {
      credential: {
        kind: 'app',
        id: app.id,
        appId: app.id,
        userId: null,
        role: null,
        scopes: own,
        rateLimitPerMinute: tierLimits[app.tier],
      },
      boundTo: undefined,
      async inProfile(id) {
        const granted = isUuid(id) ? await grantOf(`${app.id} ${id}`) : undefined
        if (!granted) return undefined
        const { profile, grantedScopes } = granted
        const held: ReadonlySet<Scope> = own.intersection(expandScopes(grantedScopes)).union(administrative)
        return { profile, scopes: scopesOn(profile, { kind: 'app' }, held), role: null }
      },
      async inWorkspace(id) {
        const workspace = await findAppsWorkspace(postgres, app.id, id)
        return workspace && { workspace, scopes: own, role: null }
      },
    }
  }

  const asMcp = async (presented: AccessToken): Promise<Caller> => {
    const token = await findMcp(presented.id)
    if (!token || token.userId !== presented.subject) throw unauthorized()
    const held = scopesOfMcpToken(token.scopes)
    return {
      credential: {
        kind: 'mcp',
        id: token.id,
        appId: null,
        userId: token.userId,
        role: null,
        scopes: held,
        rateLimitPerMinute: mcpRequestsPerMinute,
      },
      boundTo: undefined,
      ...onBehalfOf(token.userId, 'mcp', held),
    }
  }

  return async (presented) => {
    const text = bearerToken(presented)
    const token = text === undefined ? undefined : await tokens.read(text)
    if (!token) throw unauthorized()
    return token.kind === 'app' ? asApp(token) : asMcp(token)
  }
}
