import type pg from 'pg'
import type { AccessTokens } from '../http/access-tokens.ts'
import { defineOperation } from '../http/operation.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { SessionCookies } from '../http/session-cookies.ts'

/** What it takes to sign people in and to mint their tokens. */
export interface SessionDeps {
  postgres: pg.Pool
  cookies: SessionCookies
  tokens: AccessTokens
  rateLimiter: RateLimiter
}

export const operation = defineOperation<SessionDeps>()
