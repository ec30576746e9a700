import type pg from 'pg'
import type { AccessTokens } from './access-tokens.ts'
import { apiKeyAuthentication } from './authenticate-key.ts'
import { sessionAuthentication } from './authenticate-session.ts'
import { tokenAuthentication } from './authenticate-token.ts'
import { type Authenticate, bearerToken } from './caller.ts'
import type { SessionCookies } from './session-cookies.ts'

export { apiKeyAuthentication } from './authenticate-key.ts'
export { type Authenticate, type Caller, type Presented, type Standing, unauthorized } from './caller.ts'

export interface AuthenticationDeps {
  postgres: pg.Pool
  tokens: AccessTokens
  cookies: SessionCookies
  clock?: () => number
}

/** All four kinds of credential (SPEC 5.1). Whoever sends an Authorization header is judged by that alone. */
export function authentication({ postgres, tokens, cookies, clock }: AuthenticationDeps): Authenticate {
  const byKey = apiKeyAuthentication(postgres, clock)
  const byToken = tokenAuthentication(postgres, tokens, clock)
  const bySession = sessionAuthentication(postgres, cookies, clock)
  return (presented) => {
    if (presented.headers.authorization === undefined) return bySession(presented)
    return bearerToken(presented)?.startsWith('ey') ? byToken(presented) : byKey(presented)
  }
}
