import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { claimPort, openDoors } from '../../services/doors.ts'

const host = '127.0.0.1'
let app: FastifyInstance
afterEach(() => app.close())

/** An app whose requests wait until they are let go, one by one. */
async function serve() {
  const port = await claimPort({ host, port: 0 })
  const inside: (() => void)[] = []
  app = Fastify({ return503OnClosing: false })
  app.get('/', async () => {
    await new Promise<void>((resolve) => inside.push(resolve))
    return 'done'
  })
  app.get('/at-once', async () => 'done')
  await openDoors(app, { host, port })
  return { port, inside }
}

async function call(port: number): Promise<string> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
  return text(socket)
}

// So many that they are let in at more than one door.
const callers = 50

describe('the doors of a service', () => {
  it('answers whoever is inside before it closes, and lets nobody else in', async () => {
    const { port, inside } = await serve()
    const answers = Array.from({ length: callers }, () => call(port))
    await expect.poll(() => inside.length).toBe(callers)
    let isClosed = false
    const closed = app.close().then(() => {
      isClosed = true
    })
    await expect.poll(() => call(port).catch((error) => error.code)).toBe('ECONNREFUSED')
    for (const letGo of inside) {
      letGo()
      await sleep(5)
      if (letGo !== inside.at(-1)) expect(isClosed).toBe(false)
    }
    await closed
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/)
  })

  it('does not wait for callers who keep a line open and ask for nothing', async () => {
    const { port } = await serve()
    const lines = Array.from({ length: callers }, () => connect(port, host))
    const answered = lines.map(async (line) => {
      line.write(`GET /at-once HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
      await once(line, 'data')
    })
    await Promise.all(answered)
    await app.close()
  })

  it('claims a port that somebody else listens on for nobody', async () => {
    const { port } = await serve()
    await expect(claimPort({ host, port })).rejects.toThrow(`Port ${port} is in use`)
  })
})
