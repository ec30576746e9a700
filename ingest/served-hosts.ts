import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../http/errors.ts'
import type { DomainOwner } from '../postgres/stores/custom-domains.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose custom domain the request came in by. */
    domainProfileId: string | undefined
  }
}

export interface ServedHosts {
  /** Names of the deployment's own. */
  own: readonly string[]
  ownerOf: DomainOwner
}

/** Collector and script answer under names of our own, and under domains that their owners have verified; no others. */
export const servedHosts =
  ({ own, ownerOf }: ServedHosts, routes: ((app: FastifyInstance) => void)[]) =>
  (app: FastifyInstance): void => {
    const names = new Set([...own, 'localhost'].map((name) => name.toLowerCase()))
    app.decorateRequest('domainProfileId', undefined)
    const enterDomain = async (request: FastifyRequest, host: string) => {
      request.domainProfileId = await ownerOf(host)
      if (!request.domainProfileId) throw new ApiError('not_found', 'This host is not served here.')
    }
    app.addHook('onRequest', (request: FastifyRequest, _reply, done) => {
      const host = request.hostname.toLowerCase().replace(/\.$/, '')
      // An address in digits is nobody's domain.
      if (names.has(host) || isIP(host.replace(/^\[|\]$/g, ''))) return done()
      enterDomain(request, host).then(() => done(), done)
    })
    for (const route of routes) app.register(async (scope) => route(scope))
  }
