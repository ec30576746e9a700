import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { beyond, isScope, type Scope } from '../domain/scopes.ts'
import type { AccessTokens } from '../http/access-tokens.ts'
import { tierLimits } from '../http/authenticate-token.ts'
import { toApiError } from '../http/failures.ts'
import { limitHeaders, type RateLimiter, type Verdict, veiled } from '../http/rate-limit.ts'
import { findAppByCredentials, type LiveApp } from '../postgres/stores/apps.ts'
import { within } from '../postgres/within.ts'

export interface TokenEndpointDeps {
  postgres: pg.Pool
  tokens: AccessTokens
  rateLimiter: RateLimiter
}

const lifetimeSeconds = 3600
const attemptsPerMinute = 60
const lookupLimitMs = 1500

/** RFC 6749, section 5.2: this endpoint speaks OAuth's own error language, not the API's. */
class OAuthError extends Error {
  readonly error: string
  readonly status: number
  readonly headers: Record<string, string>

  constructor(error: string, description: string, status = 400, headers: Record<string, string> = {}) {
    super(description)
    this.error = error
    this.status = status
    this.headers = headers
  }
}

/** `POST /oauth/token`: an app trades its client id and secret for a token that lasts an hour (RFC 6749, 4.4). */
export const tokenEndpoint = (deps: TokenEndpointDeps) => (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body as string)),
  )
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply))
  app.post('/oauth/token', { schema: { hide: true }, bodyLimit: 16 * 1024 }, async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    const form = formOf(request.body)
    if (form.grant_type === undefined) throw new OAuthError('invalid_request', 'grant_type is missing.')
    if (form.grant_type !== 'client_credentials') {
      throw new OAuthError('unsupported_grant_type', 'This server grants client_credentials only.')
    }
    const app = await authenticateClient(request, form, deps)
    await takePlace(deps.rateLimiter, `app:${app.id}:default`, tierLimits[app.tier])
    const scopes = grantedScopes(app, form.scope)
    const expiresAt = new Date(Date.now() + lifetimeSeconds * 1000)
    const token = { kind: 'app' as const, subject: app.id, id: randomUUID(), scopes }
    return {
      access_token: await deps.tokens.issue(token, expiresAt),
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope: scopes.join(' '),
    }
  })
}

type Form = Partial<Record<'grant_type' | 'scope' | 'client_id' | 'client_secret', string>>

function formOf(body: unknown): Form {
  if (!(body instanceof URLSearchParams)) {
    throw new OAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.')
  }
  const names = [...body.keys()]
  if (new Set(names).size !== names.length) throw new OAuthError('invalid_request', 'A parameter is sent twice.')
  // A parameter without a value is one that was not sent (RFC 6749, 3.2).
  return Object.fromEntries([...body].filter(([, value]) => value !== ''))
}

interface Client {
  id: string
  secret: string
}

async function authenticateClient(request: FastifyRequest, form: Form, deps: TokenEndpointDeps): Promise<LiveApp> {
  const client = clientOf(request.headers.authorization, form)
  await takePlace(deps.rateLimiter, `guess-client-address:${veiled(request.ip)}`, attemptsPerMinute * 10)
  if (client) {
    const app = await within(lookupLimitMs, findAppByCredentials(deps.postgres, client.id, client.secret))
    if (app) return app
    await takePlace(deps.rateLimiter, `guess-client:${veiled(client.id)}`, attemptsPerMinute)
  }
  const headers = { 'www-authenticate': 'Basic realm="touchline", charset="UTF-8"' }
  throw new OAuthError('invalid_client', 'The client is not known by these credentials.', 401, headers)
}

/** By HTTP Basic or in the body, never both (RFC 6749, 2.3). */
function clientOf(authorization: string | undefined, form: Form): Client | undefined {
  if (authorization === undefined) {
    const { client_id: id, client_secret: secret } = form
    return id !== undefined && secret !== undefined ? { id, secret } : undefined
  }
  if (form.client_secret !== undefined) {
    throw new OAuthError('invalid_request', 'Send the client credentials in one way, not in two.')
  }
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  if (id === undefined || secret === undefined) return undefined
  if (form.client_id !== undefined && form.client_id !== decoded(id)) return undefined
  return { id: decoded(id), secret: decoded(secret) }
}

/** Both halves are form-encoded before they are joined (RFC 6749, 2.3.1). */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** What is asked for, or all that the app may ask for; each profile narrows it to its grant. */
function grantedScopes(app: LiveApp, asked: string | undefined): Scope[] {
  if (asked === undefined) return app.scopes.filter(isScope)
  const names = [...new Set(asked.split(' ').filter(Boolean))]
  const scopes = names.filter(isScope)
  if (names.length === 0 || scopes.length < names.length) {
    throw new OAuthError('invalid_scope', 'A scope that was asked for does not exist.')
  }
  if (beyond(scopes, app.scopes).length > 0) {
    throw new OAuthError('invalid_scope', 'A scope that was asked for is not open to this app.')
  }
  return scopes
}

async function takePlace(limiter: RateLimiter, key: string, limit: number): Promise<void> {
  const verdict: Verdict = await limiter(key, limit)
  if (verdict.isAllowed) return
  const headers = { 'retry-after': String(verdict.resetInSeconds), ...limitHeaders(verdict) }
  throw new OAuthError('rate_limit_exceeded', 'Too many requests in a short time.', 429, headers)
}

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = error instanceof OAuthError ? error : general(error)
  if (failure.status >= 500) request.log.error({ err: error }, 'token endpoint')
  return reply
    .code(failure.status)
    .headers({ 'cache-control': 'no-store', pragma: 'no-cache', ...failure.headers })
    .type('application/json; charset=utf-8')
    .send({ error: failure.error, error_description: failure.message })
}

function general(error: unknown): OAuthError {
  const { status, headers } = toApiError(error)
  if (status === 503) return new OAuthError('temporarily_unavailable', 'Try again in a moment.', 503, headers)
  if (status >= 500) return new OAuthError('server_error', 'Something went wrong on our side.', 500)
  return new OAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.')
}
