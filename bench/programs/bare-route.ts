import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { residentMb } from '../memory.ts'
import { answer, settings } from './message.ts'

/** The physical limit of a collector: the same framework parses the same body and answers, and does nothing else. */
await settings()
const app = Fastify()
app.post('/collect', async (_request, reply) => reply.code(204).send())
await app.listen({ host: '127.0.0.1', port: 0 })
answer({ port: (app.server.address() as AddressInfo).port })
process.on('message', () => answer({ residentMb: residentMb(process.pid) }))
