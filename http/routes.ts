import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Credential, Profile, Workspace } from '../domain/credentials.ts'
import type { Engine } from '../infra/unavailable.ts'
import { type AccessLog, logged, logRefusal } from './access-log.ts'
import { admit } from './admit.ts'
import { type Answer, perform, Remarks, send } from './answer.ts'
import { apiPrefix } from './api-path.ts'
import type { Authenticate } from './authenticate.ts'
import { deprecationHeaders } from './deprecation.ts'
import { describeOperation } from './describe-operation.ts'
import { type ApiError, errorEnvelope } from './errors.ts'
import { idempotencyKeyOf, type Once } from './idempotency.ts'
import type { Execution, Operation, RequestMeta } from './operation.ts'
import type { RateLimiter } from './rate-limit.ts'
import { type Checks, supervise } from './readiness.ts'
import { check } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    profile: Profile | undefined
    workspace: Workspace | undefined
    credential: Credential | undefined
  }
}

/** Operations of one folder with what their handlers need, and the engines that these calls wait for. */
export interface Mount {
  operations: readonly Operation<never>[]
  deps: object
  engines: readonly Engine[]
}

export const mount = <Deps extends object>(
  operations: readonly Operation<Deps>[],
  deps: Deps,
  engines: readonly Engine[],
): Mount => ({ operations: operations as readonly Operation<never>[], deps, engines })

export interface RouteDeps {
  authenticate: Authenticate
  rateLimiter: RateLimiter
  checks: Checks
  once: Once
  accessLog: AccessLog
  baseUrl: string
}

export function registerOperations(app: FastifyInstance, mounts: readonly Mount[], frame: RouteDeps) {
  app.decorateRequest('profile', undefined)
  app.decorateRequest('workspace', undefined)
  app.decorateRequest('credential', undefined)
  const seen = new Set<string>()
  for (const { operations, deps, engines } of mounts) {
    const checks: Checks = Object.fromEntries(
      engines.map((engine) => [engine, frame.checks[engine]]).filter(([, c]) => c),
    )
    for (const operation of operations) {
      if (seen.has(operation.id)) throw new Error(`Two operations are called ${operation.id}.`)
      seen.add(operation.id)
      registerOperation(app, operation, deps, { ...frame, checks })
    }
  }
}

function registerOperation(app: FastifyInstance, operation: Operation<never>, deps: object, frame: RouteDeps) {
  if (!operation.isPublic && !operation.isOwnAccount && operation.scopes.length === 0) {
    throw new Error(`Operation ${operation.id} needs a scope, or must say that it is public.`)
  }
  app.route({
    method: operation.method,
    url: `${apiPrefix}${operation.url}`,
    schema: describeOperation(operation),
    // Metrics count events; a line for each would drown the log, and is an eighth of the work.
    config: operation.rateLimit === 'events' ? { isQuiet: 'when accepted' } : {},
    ...(operation.bodyLimitBytes === undefined ? {} : { bodyLimit: operation.bodyLimitBytes }),
    // The description's schemas are for readers; the frame itself checks what comes in and what goes out.
    validatorCompiler: () => () => true,
    serializerCompiler: () => JSON.stringify,
    // Before the body is read: who may not call cannot make us parse a megabyte.
    onRequest: (request, reply, done) => {
      if (operation.deprecated) reply.headers(deprecationHeaders(operation.deprecated))
      if (operation.isPublic) return done()
      admit(request, reply, operation, frame).then(
        () => done(),
        (error) => logRefusal(frame.accessLog, operation, request, error).then(() => done(error), done),
      )
    },
    handler: async (request, reply) => {
      const work = () => supervise(respond(operation, deps, request, reply, frame), frame.checks)
      return send(reply, await (operation.readsPersons ? logged(frame.accessLog, operation, request, work) : work()))
    },
  })
}

async function respond(
  operation: Operation<never>,
  deps: object,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: RouteDeps,
): Promise<Answer> {
  const { params, query, body } = operation
  const takesKey = operation.idempotency.endsWith('header')
  const key = takesKey
    ? idempotencyKeyOf(request.headers['idempotency-key'], operation.idempotency === 'header')
    : undefined
  const remarks = new Remarks(operation)
  const context = {
    ...deps,
    params: params ? check(operation, 'params', params, request.params) : {},
    query: query ? check(operation, 'query', query, request.query) : {},
    body: body ? check(operation, 'body', body, request.body) : undefined,
    profile: request.profile,
    workspace: request.workspace,
    credential: request.credential,
    request: new ReceivedRequest(request, reply),
    reply: remarks,
    persons: remarks.persons,
    execution: undefined as Execution | undefined,
  }
  const profileId = request.profile?.id
  const run = (execution?: Execution) => {
    context.execution = execution
    return perform(operation, context, remarks, profileId)
  }
  if (!takesKey) return await run()
  if (key === undefined) return await frame.once.withoutKey(profileId, run)
  const call = {
    operation: operation.id,
    owner: ownerOf(request),
    profileId,
    method: request.method,
    url: request.url,
    body: request.body,
  }
  const refusal = (error: ApiError): Answer => ({
    status: error.status,
    headers: error.headers,
    body: errorEnvelope(error, request.id, frame.baseUrl),
    persons: 0,
  })
  const { isReplay, ...answer } = await frame.once.withKey(key, call, run, refusal)
  return isReplay ? { ...answer, headers: { ...answer.headers, 'idempotent-replay': 'true' } } : answer
}

/** A new key or session of the same app or user still finds what the old one was answered. */
function ownerOf({ credential, profile }: FastifyRequest): string {
  const { appId, userId, kind, id } = credential!
  const holder = appId ? `app:${appId}` : userId ? `user:${userId}` : `${kind}:${id}`
  return `${profile?.id ?? 'none'}/${holder}`
}

/**
 * A class, since an object literal with a getter gets a hidden class of its own in every request, which keeps the whole
 * request in memory until the next full collection.
 */
class ReceivedRequest implements RequestMeta {
  readonly receivedAt = new Date()
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  get id(): string {
    return this.#request.id
  }

  get address(): string {
    return this.#request.ip
  }

  get method(): string {
    return this.#request.method
  }

  get headers() {
    return this.#request.headers
  }

  /** Made on demand: most handlers never look at it. */
  get signal(): AbortSignal {
    const gone = new AbortController()
    this.#reply.raw.once('close', () => gone.abort())
    return gone.signal
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name.toLowerCase()]
    return Array.isArray(value) ? value[0] : value
  }
}
