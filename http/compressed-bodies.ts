import { createGunzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.ts'

/** Takes bodies in gzip. The limit of a body holds for what comes out, so that a small bomb stays small. */
export function readCompressedBodies(app: FastifyInstance) {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase()
    if (encoding === undefined || encoding === 'identity') return done(null, payload)
    if (encoding !== 'gzip') return done(new ApiError('invalid_request', 'A body may be compressed with gzip only.'))
    let receivedEncodedLength = 0
    payload.on('data', (chunk: Buffer) => {
      receivedEncodedLength += chunk.length
    })
    const plain = createGunzip()
    // Bytes that are no gzip, or that never end, are the reader's to report; after it has answered, nobody's.
    plain.on('error', () => {})
    payload.once('error', (error) => plain.destroy(error))
    reply.raw.once('close', () => plain.destroy())
    Object.defineProperty(plain, 'receivedEncodedLength', { get: () => receivedEncodedLength })
    done(null, payload.pipe(plain))
  })
}
