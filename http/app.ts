import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import type { IsListed } from '../infra/address-list.ts'
import type { Logger } from '../infra/logger.ts'
import { type AccessLog, noAccessLog } from './access-log.ts'
import { apiPrefix } from './api-path.ts'
import type { Authenticate } from './authenticate.ts'
import { readCompressedBodies } from './compressed-bodies.ts'
import { serveDocs } from './docs.ts'
import { ApiError } from './errors.ts'
import { answerBrokenConnection, answerFailures, sendError, toApiError } from './failures.ts'
import { noKeys, type Once } from './idempotency.ts'
import { observe } from './observability.ts'
import { publishDescription } from './openapi.ts'
import { localRateLimiter, type RateLimiter } from './rate-limit.ts'
import type { Checks } from './readiness.ts'
import { type Mount, registerOperations } from './routes.ts'

export { piiAccessLog } from './access-log.ts'
export { accessTokens, tokenKeys } from './access-tokens.ts'
export { apiKeyAuthentication, authentication } from './authenticate.ts'
export { onceWithKey } from './idempotency.ts'
export { localRateLimiter, redisRateLimiter } from './rate-limit.ts'
export { mount } from './routes.ts'
export { sessionCookies } from './session-cookies.ts'

export interface AppOptions {
  baseUrl: string
  apiUrl?: string
  version?: string
  logger: Logger
  authenticate: Authenticate
  mounts: readonly Mount[]
  /** Routes that are no operations: the collector, the schema registry, the tracker script. */
  plugins?: readonly ((app: FastifyInstance) => Promise<void> | void)[]
  /** What `/readyz` asks, and what a slow request is checked against. */
  checks?: Checks
  rateLimiter?: RateLimiter
  /** Where person-level reads are recorded; without it none is answered. */
  accessLog?: AccessLog
  /** What makes a request with an Idempotency-Key happen once; without it none is taken. */
  once?: Once
  metrics?: Registry
  /** What /metrics shows, where that is more than this process's own. */
  readMetrics?: () => Promise<string>
  /** Who may read /metrics; those on this machine unless said otherwise. */
  isMetricsReader?: IsListed
  /** Whose X-Forwarded-For says who the client is; nobody's unless said otherwise. */
  isTrustedProxy?: IsListed
  /** How long a request may take to arrive. */
  requestTimeoutMs?: number
}

const bodyLimitBytes = 1024 * 1024
const saneId = /^[A-Za-z0-9._:-]{8,64}$/

/** The whole HTTP side of a service; the caller only listens. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    baseUrl,
    apiUrl = baseUrl,
    version = '1.0.0',
    checks = {},
    requestTimeoutMs = 20_000,
    isTrustedProxy,
  } = options
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for every request costs more than most requests do; whoever logs says the request's id.
    childLoggerFactory: (logger) => logger,
    genReqId: (raw) => {
      const sent = raw.headers['x-request-id']
      return typeof sent === 'string' && saneId.test(sent) ? sent : randomUUID()
    },
    bodyLimit: bodyLimitBytes,
    connectionTimeout: 60_000,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 72_000,
    http: {
      maxHeaderSize: 16 * 1024,
      // With a longer time for the headers alone Node swaps the two, and a body could take as long as that.
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      // How often the server looks for requests that are late.
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
    },
    ...(isTrustedProxy ? { trustProxy: (address: string) => isTrustedProxy(address) } : {}),
    // While closing, requests that are already on a connection are still answered.
    return503OnClosing: false,
    // An id of any length is an id that nobody has; the size of the head is its limit.
    routerOptions: { maxParamLength: 16 * 1024 },
    clientErrorHandler: answerBrokenConnection(baseUrl),
    frameworkErrors: (error, _request, reply) => sendError(reply as never, toApiError(error), baseUrl),
  }) as unknown as FastifyInstance

  answerFailures(app, baseUrl)
  readJsonBodies(app)
  readCompressedBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.url.startsWith(apiPrefix)) reply.header('cache-control', 'no-store')
    done()
  })
  const { metrics, readMetrics, isMetricsReader } = options
  observe(app, { checks, metrics, readMetrics, isMetricsReader })

  await publishDescription(app, { version, baseUrl, apiUrl })
  await app.register(async (api) => {
    registerOperations(api, options.mounts, {
      authenticate: options.authenticate,
      rateLimiter: options.rateLimiter ?? localRateLimiter(),
      checks,
      accessLog: options.accessLog ?? noAccessLog,
      once: options.once ?? noKeys,
      baseUrl,
    })
  })
  app.get(`${apiPrefix}/openapi.json`, { schema: { hide: true } }, async () => app.swagger())
  await serveDocs(
    app,
    options.mounts.flatMap((mounted) => mounted.operations),
  )
  for (const plugin of options.plugins ?? []) await app.register(async (scope) => plugin(scope))
  return app
}

/**
 * An empty body is no body, whatever its content type says; the operation decides whether it needs one. Bytes that are no
 * UTF-8 would all be read as the same letter, and ids that differ in them alone as one.
 */
function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else if (!isUtf8(body as Buffer)) done(new ApiError('invalid_request', 'The body is not UTF-8.'))
    else parse(request, body.toString(), done)
  })
}
