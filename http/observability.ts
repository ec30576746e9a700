import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { addressList, type IsListed } from '../infra/address-list.ts'
import type { Logger } from '../infra/logger.ts'
import { ApiError } from './errors.ts'
import { type Checks, probe } from './readiness.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered too often for a line each: none at all, or none for what was accepted. */
    isQuiet?: boolean | 'when accepted'
  }
}

const readinessLimitMs = 1800

/** `/healthz` (this process), `/readyz` (the engines), `/metrics`, and a log line for each request that is not too frequent. */
export function observe(
  app: FastifyInstance,
  {
    checks,
    metrics = new Registry(),
    readMetrics = () => metrics.metrics(),
    isMetricsReader = addressList('loopback')!,
  }: {
    checks: Checks
    metrics?: Registry | undefined
    readMetrics?: (() => Promise<string>) | undefined
    isMetricsReader?: IsListed | undefined
  },
) {
  if (!metrics.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: metrics })
  const duration = new Histogram({
    name: 'touchline_http_request_duration_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  })

  app.addHook('onResponse', (request, reply, done) => {
    // The pattern, never the address itself: ids and query strings can be personal.
    const route = request.routeOptions.url ?? 'unmatched'
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    const isProbe = route === '/healthz' || route === '/readyz' || route === '/metrics'
    const { isQuiet } = request.routeOptions.config
    const level = isProbe || (isQuiet && (isQuiet === true || reply.statusCode < 400)) ? 'debug' : 'info'
    if (!(request.log as Logger).isLevelEnabled(level)) return done()
    request.log[level](
      {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        profile_id: request.profile?.id,
        credential: request.credential && `${request.credential.kind}:${request.credential.id}`,
      },
      'request',
    )
    done()
  })

  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { hide: true } }, async () => {
    const engines = await probe(checks, readinessLimitMs)
    const down = Object.entries(engines).filter(([, state]) => state === 'down')
    if (down.length === 0) return { status: 'ready', engines }
    const names = down.map(([engine]) => engine).join(', ')
    throw new ApiError('service_unavailable', `Not ready: ${names} does not answer.`, { engines, retry_after: 2 })
  })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    // A scraper comes straight from the network inside; whoever is forwarded came by the public way.
    if (isForwarded(request) || !isMetricsReader(request.socket.remoteAddress)) {
      throw new ApiError('not_found', 'This path is not served here.')
    }
    return reply.type(metrics.contentType).send(await readMetrics())
  })
}

const isForwarded = ({ headers }: FastifyRequest) =>
  ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'cf-connecting-ip'].some((name) => headers[name] !== undefined)
