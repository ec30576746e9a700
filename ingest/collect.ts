import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LinkTokens } from '../domain/link-tokens.ts'
import type { Prompt } from '../domain/prompt.ts'
import { collectPath } from '../domain/tracker-paths.ts'
import { isAllowedOrigin } from '../domain/tracking-settings.ts'
import { parseUserAgent } from '../domain/user-agent.ts'
import { ApiError, fieldError } from '../http/errors.ts'
import type { Producer } from '../infra/kafka/producer.ts'
import type { RefusalCounter } from '../postgres/stores/refusals.ts'
import type { TrackedProfile, TrackingKeyLookup, TrackingKeyState } from '../postgres/stores/tracking-key-lookup.ts'
import type { TrackingKeySightings } from '../postgres/stores/tracking-key-sightings.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import { topics } from '../schemas/topics.ts'
import type { CollectLimits } from './collect-limits.ts'
import { validationError } from './issues.ts'
import type { Locate, Place } from './locate.ts'
import type { IngestMetrics } from './metrics.ts'
import { maxEvents, SentVisit, toVisitBatch } from './visit-batch.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose tracking key the request carries, also when it is refused. */
    trackedProfileId: string | undefined
  }
}

export interface CollectDeps {
  producer: Pick<Producer, 'send'>
  vault: Vault
  trackingKeys: TrackingKeyLookup
  keySightings: TrackingKeySightings
  locate: Locate
  limits: CollectLimits
  metrics: IngestMetrics
  /** Where a profile later sees what was turned away; nothing is counted without it. */
  refusals?: Pick<RefusalCounter, 'count'> | undefined
  linkTokens?: LinkTokens | undefined
  clock?: () => number
}

// The worst body of this size, reduced and sealed, still is a message that a broker takes.
const bodyLimitBytes = 128 * 1024

/** `POST /collect`: validate, seal, produce. The 204 says that Kafka has it. */
export const collectPlugin =
  (deps: CollectDeps) =>
  (app: FastifyInstance): void => {
    const { producer, vault, trackingKeys, keySightings, locate, limits, metrics, refusals, linkTokens } = deps
    const { clock = Date.now } = deps
    app.decorateRequest('trackedProfileId', undefined)
    readBeacons(app)
    allowAnyOrigin(app)

    const options = {
      bodyLimit: bodyLimitBytes,
      // A line for every hit would drown the log; the metrics count hits, refusals and times.
      config: { isQuiet: true },
      schema: { hide: true },
      onRequest: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
        limits.admitAddress(request.ip)
        done()
      },
    }
    app.post(collectPath, options, async (request, reply) => {
      const receivedAt = clock()
      const body = bodyOf(request)
      const keyed = keyStateOf(body)
      const profile = profileOf(request, keyed instanceof Promise ? await keyed : keyed)
      const key = String(body.tracking_key)
      limits.admitKey(key, countOf(body.events))
      const visit = SentVisit.safeParse(body)
      if (!visit.success) throw validationError(visit.error)
      const agent = parseUserAgent(request.headers['user-agent'])
      const place = reduced(locate(request), profile)
      const onRefused = metrics.identifierRefused
      const context = { profile, receivedAt, agent, place, vault, linkTokens, onRefused }
      const made = toVisitBatch(visit.data, context)
      const batch = made instanceof Promise ? await made : made
      await producer.send(topics.visits, [batch])
      keySightings(key)
      metrics.accepted('collect', batch.hits.length)
      if (agent.isBot) metrics.bots(batch.hits.length)
      return reply.code(204).send()
    })

    app.addHook('onError', async (request, reply, error) => {
      reply.header('access-control-expose-headers', 'Retry-After')
      const { code } = error as { code?: unknown }
      const reason = error instanceof ApiError ? (reasonOf(error) ?? error.code) : nameOf(code)
      metrics.refused('collect', reason)
      const profileId = request.trackedProfileId ?? request.domainProfileId
      refusals?.count({ profileId, origin: request.headers.origin, source: 'collect', reason })
    })

    function keyStateOf({ tracking_key: key }: Record<string, unknown>): Prompt<TrackingKeyState> {
      if (typeof key === 'string') return trackingKeys(key)
      throw fieldError('validation_error', 'tracking_key', 'must be the text of a tracking key')
    }

    function profileOf(request: FastifyRequest, found: TrackingKeyState): TrackedProfile {
      if (found.state === 'active') {
        request.trackedProfileId = found.profile.id
        if (isAllowedOrigin(found.profile.allowedOrigins, request.headers.origin)) return found.profile
        throw new ApiError('forbidden', 'The profile takes no hits from this origin.', { reason: 'origin_not_allowed' })
      }
      if (found.state === 'revoked') request.trackedProfileId = found.profileId
      const reason = `tracking_key_${found.state}`
      throw new ApiError('unauthorized', `The tracking key is ${found.state}.`, { reason })
    }
  }

const reduced = ({ country, city }: Place, { locationDetail }: TrackedProfile): Place => ({
  country: locationDetail === 'none' ? null : country,
  city: locationDetail === 'city' ? city : null,
})

const countOf = (events: unknown) => (Array.isArray(events) ? Math.min(Math.max(events.length, 1), maxEvents) : 1)

const reasonOf = (error: ApiError) => (typeof error.extras.reason === 'string' ? error.extras.reason : undefined)

/** Only codes of the framework are labels; whatever else fails is an engine that is away. */
const nameOf = (code: unknown) =>
  typeof code === 'string' && code.startsWith('FST_') ? code.toLowerCase() : 'unavailable'

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  const { body } = request
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new ApiError('invalid_request', 'The body must be one JSON object.')
  }
  return body as Record<string, unknown>
}

/** sendBeacon sends text/plain, so that no preflight is needed while a page unloads. */
function readBeacons(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', 'text/plain'], { parseAs: 'buffer' }, (_request, body, done) => {
    if (!isUtf8(body as Buffer)) return done(new ApiError('invalid_request', 'The body is not UTF-8.'))
    try {
      done(null, JSON.parse(body.toString()))
    } catch {
      done(new ApiError('invalid_request', 'The body is not valid JSON.'))
    }
  })
}

/** Any site may send. Its origin is named because a beacon carries credentials, for which `*` is not enough. */
function allowAnyOrigin(app: FastifyInstance) {
  const allow = (request: FastifyRequest, reply: FastifyReply) => {
    const { origin } = request.headers
    reply.header('vary', 'Origin').header('access-control-allow-origin', origin ?? '*')
    if (origin) reply.header('access-control-allow-credentials', 'true')
  }
  app.addHook('onRequest', (request, reply, done) => {
    allow(request, reply)
    done()
  })
  app.options(collectPath, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '86400',
      })
      .code(204)
      .send(),
  )
}
