import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { engineFailure } from './engine-failure.ts'
import { ApiError, errorEnvelope } from './errors.ts'

const retryAfterSeconds = 2

/** Postgres's words for a text with a NUL in it, which only a caller can have sent. */
const unstorableText = '22021'

/** Any error becomes one that a caller may read; what nobody foresaw is `internal_error` and says nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const engine = engineFailure(error)
  if (engine) {
    const message = `A part of the service is not available at the moment (${engine}).`
    return new ApiError('service_unavailable', message, { retry_after: retryAfterSeconds }, { cause: error })
  }
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === unstorableText) {
    return new ApiError('validation_error', 'A text contains NUL, which cannot be stored.', {}, { cause: error })
  }
  if (statusCode === 413) return new ApiError('payload_too_large', 'The body is larger than this operation takes.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ApiError('invalid_request', 'The body must be sent as application/json.')
  }
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error instanceof SyntaxError) {
    return new ApiError('invalid_request', 'The body is not valid JSON.')
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    const message = 'The request could not be read.'
    return new ApiError('invalid_request', message, {}, { status: statusCode === 415 ? 400 : statusCode, cause: error })
  }
  return new ApiError('internal_error', undefined, {}, { cause: error })
}

export function sendError(reply: FastifyReply, error: ApiError, baseUrl: string) {
  return reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorEnvelope(error, reply.request.id, baseUrl))
}

/** One envelope for every refusal, the framework's own included. */
export function answerFailures(app: FastifyInstance, baseUrl: string) {
  const routes = knownPaths(app)

  app.setErrorHandler((error, request, reply) => {
    const answer = toApiError(error)
    if (answer.status >= 500) {
      const level = answer.code === 'internal_error' ? 'error' : 'warn'
      request.log[level]({ request_id: request.id, err: answer.cause ?? answer }, answer.code)
    }
    return sendError(reply, answer, baseUrl)
  })

  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.methodsOf(request)
    if (allowed.length === 0)
      return sendError(reply, new ApiError('not_found', 'This path is not served here.'), baseUrl)
    const allow = allowed.join(', ')
    const message = `This path takes ${allow}.`
    const options = { status: 405, headers: { allow } }
    return sendError(
      reply,
      new ApiError('invalid_request', message, { reason: 'method_not_allowed' }, options),
      baseUrl,
    )
  })
}

/** Fastify answers 404 to a known path with another method; callers are better served with 405. */
function knownPaths(app: FastifyInstance) {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    const source = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z_]+/g, '[^/]+')
    const known = patterns.get(url) ?? { pattern: new RegExp(`^${source}$`), methods: new Set() }
    for (const name of [method].flat()) known.methods.add(name)
    patterns.set(url, known)
  })
  return {
    methodsOf(request: FastifyRequest): string[] {
      const path = request.url.split('?', 1)[0] ?? ''
      const hits = [...patterns.values()].filter(({ pattern }) => pattern.test(path))
      return [...new Set(hits.flatMap(({ methods }) => [...methods]))].sort()
    },
  }
}

/** What is broken before it is a request (bad bytes, a huge header, a slow sender) still gets the envelope. */
export function answerBrokenConnection(baseUrl: string) {
  return (error: { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
    const answer = new ApiError('invalid_request', 'The request could not be read.', {}, { status })
    const id = randomUUID()
    const body = JSON.stringify(errorEnvelope(answer, id, baseUrl))
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
}
