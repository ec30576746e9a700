import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Role } from '../domain/roles.ts'
import { scopes as every, type Scope } from '../domain/scopes.ts'
import { accessTokens } from '../http/access-tokens.ts'
import { authentication } from '../http/authenticate.ts'
import { sessionCookies } from '../http/session-cookies.ts'
import { transaction } from '../postgres/client.ts'
import { createApiKey } from '../postgres/stores/api-keys.ts'
import { createApp } from '../postgres/stores/apps.ts'
import { grantApp } from '../postgres/stores/grants.ts'
import { createMcpToken } from '../postgres/stores/mcp-tokens.ts'
import { openSession } from '../postgres/stores/sessions.ts'

type Headers = Record<string, string>

export const testBaseUrl = 'https://touchline.example'

/** Signs and reads tokens and cookies as one deployment does; give its `authenticate` to the app under test. */
export function testAccess(pool: pg.Pool, clock?: () => number) {
  const tokens = accessTokens([{ id: 'test', secret: randomBytes(32) }])
  const cookies = sessionCookies({ baseUrl: testBaseUrl, apiUrl: testBaseUrl, secret: randomBytes(32) })
  const authenticate = authentication({ postgres: pool, tokens, cookies, ...(clock ? { clock } : {}) })
  return { tokens, cookies, authenticate }
}

export type TestAccess = ReturnType<typeof testAccess>

const inAnHour = () => new Date(Date.now() + 3_600_000)

async function workspaceOf(pool: pg.Pool, profileId: string): Promise<string> {
  const { rows } = await pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [profileId])
  return rows[0].workspace_id
}

/** Headers of one live credential of each kind that acts on the profile; all but the key name it in X-Profile-Id. */
export function credentialsOf(pool: pg.Pool, { tokens, cookies }: Pick<TestAccess, 'tokens' | 'cookies'>) {
  const user = async (role?: Role, workspaceId?: string): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO users (email, password_hash) VALUES ($1, 'none') RETURNING id`,
      [`${randomUUID()}@example.com`],
    )
    const userId = rows[0]!.id
    if (role && workspaceId) {
      await pool.query('INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)', [
        workspaceId,
        userId,
        role,
      ])
    }
    return userId
  }
  const sessionOf = async (userId: string): Promise<Headers> => {
    const { session, secret } = await openSession(pool, userId)
    const [cookie = ''] = cookies.write(secret, 3600).split(';')
    return { cookie, 'x-csrf-token': cookies.csrfToken(session.id) }
  }
  const mcpOf = async (userId: string, scopes: Scope[] = ['mcp:read']): Promise<Headers> => {
    const token = (await transaction(pool, (tx) => createMcpToken(tx, { userId, name: 'test', scopes, days: 1 })))!
    const text = await tokens.issue({ kind: 'mcp', subject: userId, id: token.id, scopes }, inAnHour())
    return { authorization: `Bearer ${text}` }
  }
  const app = (scopes: Scope[] = every) =>
    createApp(pool, { name: 'test', tier: 'internal', redirectUris: [], returnOrigins: [], scopes })
  const appToken = async (appId: string, scopes: Scope[] = every): Promise<Headers> => {
    const text = await tokens.issue({ kind: 'app', subject: appId, id: randomUUID(), scopes }, inAnHour())
    return { authorization: `Bearer ${text}` }
  }
  return {
    user,
    sessionOf,
    mcpOf,
    app,
    appToken,
    async apiKey(profileId: string, scopes: Scope[] = every, appId?: string): Promise<Headers> {
      const { key } = await createApiKey(pool, { profileId, scopes, appId, rateLimitPerMinute: 100_000 })
      return { authorization: `Bearer ${key}` }
    },
    async session(profileId: string, role: Role = 'owner'): Promise<Headers> {
      const headers = await sessionOf(await user(role, await workspaceOf(pool, profileId)))
      return { ...headers, 'x-profile-id': profileId }
    },
    async mcp(profileId: string, scopes: Scope[] = every, role: Role = 'owner'): Promise<Headers> {
      const headers = await mcpOf(await user(role, await workspaceOf(pool, profileId)), scopes)
      return { ...headers, 'x-profile-id': profileId }
    },
    async appOn(profileId: string, scopes: Scope[] = every): Promise<Headers & { authorization: string }> {
      const { appId } = await app()
      await grantApp(pool, { appId, profileId, scopes })
      const headers = await appToken(appId)
      return { authorization: headers.authorization!, 'x-profile-id': profileId }
    },
  }
}
