import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../http/errors.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { openHookEndpoint } from '../../postgres/stores/hook-endpoints.ts'
import type { IngestMetrics } from '../metrics.ts'
import { parseBody } from './parse-body.ts'
import { hookProviders } from './providers.ts'
import { type HookDeps, takeDelivery } from './take-delivery.ts'

export interface ReceiveDeps extends HookDeps {
  limiter: RateLimiter
  metrics: Pick<IngestMetrics, 'accepted' | 'refused' | 'identifierRefused'>
}

/** More than any provider sends of a busy shop; what is above comes back by the provider's own retries. */
const perMinute = 6_000
const bodyLimit = 512 * 1024

/** `POST /hooks/{provider}/{endpoint}`: a provider's notification. The 200 says that it is stored. */
export const hooksPlugin = (deps: ReceiveDeps) => async (app: FastifyInstance) => {
  // A signature is over the bytes, whatever they are called.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Params: { provider: string; endpoint: string } }>(
    '/hooks/:provider/:endpoint',
    { bodyLimit, schema: { hide: true } },
    async (request) => {
      const { provider, endpoint: id } = request.params
      const found = await openHookEndpoint(deps.postgres, deps.hookSeals, id)
      if (!found || found.endpoint.provider !== provider) {
        throw new ApiError('not_found', 'There is no such address for notifications.')
      }
      const { endpoint, secrets, isArchived } = found
      const place = await deps.limiter(`hook:${endpoint.id}`, perMinute)
      if (!place.isAllowed) throw new ApiError('rate_limit_exceeded', undefined, { retry_after: place.resetInSeconds })
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const header = (name: string) => {
        const value = request.headers[name]
        return Array.isArray(value) ? value[0] : value
      }
      const receivedAt = Date.now()
      const fault = hookProviders[endpoint.provider].verify(secrets, { header, body, now: receivedAt })
      if (fault) {
        deps.metrics.refused('hooks', fault)
        throw new ApiError('unauthorized', 'The signature of the notification does not hold.', { reason: fault })
      }
      // A profile that is switched off takes in nobody's data. It may be restored, and what is refused is told again.
      if (isArchived) {
        const reason = 'profile_archived'
        deps.metrics.refused('hooks', reason)
        throw new ApiError('unauthorized', 'The profile is archived.', { reason })
      }
      const received = { header, body, json: parseBody(body), source: endpoint.source, receivedAt }
      const taken = await takeDelivery({ ...deps, onRefused: deps.metrics.identifierRefused }, endpoint, received)
      deps.metrics.accepted('hooks', 1)
      return { data: { delivery_id: taken.deliveryId, status: taken.status }, meta: {} }
    },
  )
}
