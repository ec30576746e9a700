import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ConfigError } from '../infra/config.ts'

interface Address {
  host: string
  port: number
}

/** Whether several sockets may listen on one port and the system shares new connections out among them. */
const sharesPorts = process.platform === 'linux'

/**
 * A socket that listens lets in one connection a turn of the event loop, and under load a turn takes long: callers that
 * come all at once would wait for seconds, and each request go to the engines in a batch of its own.
 */
const doors = sharesPorts ? 32 : 1

/** Callers who come all at once wait here; one who finds it full tries again only after a second. */
const backlog = 4096

/** Sockets that share a port let any other that shares join them: another service's too, unless somebody looks. */
export async function claimPort({ host, port }: Address): Promise<number> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new ConfigError(`Port ${port} is in use by another program: set PORT to a free one.`)
  })
  const claimed = (server.address() as AddressInfo).port
  server.close()
  await once(server, 'close')
  return claimed
}

/** Serves the app at an address that is claimed; `app.close` closes all doors and waits for who is inside. */
export async function openDoors(app: FastifyInstance, { host, port }: Address): Promise<void> {
  const place = { host, port, backlog, reusePort: sharesPorts } satisfies ListenOptions
  // As Node's own server takes connections in.
  const others = Array.from({ length: doors - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket)),
  )
  app.addHook('preClose', async () => {
    const closed = [app.server, ...others].map((server) => new Promise((resolve) => server.close(resolve)))
    await Promise.all(closed)
  })
  await app.listen(place)
  await Promise.all(others.map((server) => once(server.listen(place), 'listening')))
}
