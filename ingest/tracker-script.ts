import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { trackerFolder, trackerPath } from '../domain/tracker-paths.ts'
import { ApiError } from '../http/errors.ts'

export interface TrackerScript {
  script: string
  /** Names this very script in its address. */
  hash: string
}

const year = 31_536_000
const fewMinutes = 300

/**
 * The browser's script at two addresses: one for ever, which always brings the newest script and is asked for again
 * every few minutes, and one that names its content and never changes.
 */
export const trackerScriptPlugin =
  ({ script, hash }: TrackerScript) =>
  (app: FastifyInstance): void => {
    const bodies = compressed(script)
    const etag = `"${hash}"`
    const options = { logLevel: 'warn' as const, schema: { hide: true } }

    const send = (request: FastifyRequest, reply: FastifyReply, caching: string) => {
      const encoding = encodingOf(request.headers['accept-encoding'])
      reply.headers({
        'cache-control': caching,
        etag,
        vary: 'Accept-Encoding',
        // Any page may run it, also one that is isolated from other origins, and may measure how long it took.
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'timing-allow-origin': '*',
      })
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
      if (encoding) reply.header('content-encoding', encoding)
      return reply.type('text/javascript; charset=utf-8').send(bodies[encoding ?? 'identity'])
    }

    app.get(trackerPath, options, (request, reply) =>
      send(request, reply, `public, max-age=${fewMinutes}, stale-while-revalidate=86400`),
    )
    app.get<{ Params: { name: string } }>(`${trackerFolder}:name`, options, (request, reply) => {
      const { name } = request.params
      if (name === `${hash}.js`) return send(request, reply, `public, max-age=${year}, immutable`)
      // A page keeps the address of an older script for years; it gets the newest one instead of none.
      if (/^[0-9a-f]{16}\.js$/.test(name)) {
        return reply.header('cache-control', `public, max-age=${fewMinutes}`).redirect(trackerPath, 302)
      }
      throw new ApiError('not_found', 'There is no such script.')
    })
  }

function compressed(script: string) {
  const identity = Buffer.from(script)
  return {
    identity,
    gzip: gzipSync(identity, { level: 9 }),
    br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  }
}

function encodingOf(accepted: string | undefined): 'br' | 'gzip' | undefined {
  const offered = (accepted ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => !/;\s*q=0(\.0*)?$/.test(entry))
    .map((entry) => entry.split(';')[0]!.trim())
  return (['br', 'gzip'] as const).find((encoding) => offered.includes(encoding))
}

const isKnown = (sent: string | undefined, etag: string) =>
  sent?.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag) ?? false
