import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { buildApp, mount, onceWithKey, piiAccessLog } from '../../../http/app.ts'
import { localRateLimiter } from '../../../http/rate-limit.ts'
import { operations, sessionOperations } from '../../../query-api/operations/index.ts'
import { tokenEndpoint } from '../../../query-api/token-endpoint.ts'
import { credentialsOf, type TestAccess, testAccess, testBaseUrl } from '../../credentials.ts'
import { captureLog } from '../../http/test-app.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Everything that concerns credentials and tenancy; none of it reads the warehouse. */
export async function openAccessApp(pool: pg.Pool, access: TestAccess = testAccess(pool)) {
  // Its minute never ends: what a limit does must not depend on how long a test takes.
  const now = Date.now()
  const rateLimiter = localRateLimiter(() => now)
  const log = captureLog()
  const app: FastifyInstance = await buildApp({
    baseUrl: testBaseUrl,
    logger: log.logger,
    authenticate: access.authenticate,
    rateLimiter,
    accessLog: piiAccessLog(pool),
    once: onceWithKey(pool, randomBytes(32)),
    mounts: [
      mount(operations, { postgres: pool, clickhouse: undefined as never }, ['postgres']),
      mount(sessionOperations, { postgres: pool, rateLimiter, ...access }, ['postgres']),
    ],
    plugins: [tokenEndpoint({ postgres: pool, rateLimiter, tokens: access.tokens })],
  })
  const call = async (method: Method, path: string, headers: Record<string, string> = {}, payload?: object) => {
    // From another address each time, so that a test meets the limit of an address only when it means to.
    const remoteAddress = `10.${randomBytes(3).join('.')}`
    const request = { method, url: `/api/v1${path}`, headers, remoteAddress, ...(payload ? { payload } : {}) }
    const answer = await app.inject(request)
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }
  return { app, call, log, access, make: credentialsOf(pool, access) }
}

export type AccessApp = Awaited<ReturnType<typeof openAccessApp>>

export const freshEmail = () => `${randomUUID()}@example.com`
