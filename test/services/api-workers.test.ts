import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../infra/local/ports.ts'
import { topics } from '../../schemas/topics.ts'
import { createTopics, until } from '../kafka.ts'
import { openPostgres } from '../profiles.ts'

/** 32 of each of two processes. */
const allDoors = 64
const program = join(import.meta.dirname, '../../services/api.ts')
let port: number
let env: NodeJS.ProcessEnv
let service: ChildProcess
let ended: Promise<unknown[]>

beforeAll(async () => {
  const pool = await openPostgres()
  await pool.end()
  await createTopics(Object.values(topics))
  port = await findFreePort()
  env = {
    ...process.env,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    API_WORKERS: '2',
    LOG_LEVEL: 'fatal',
  }
  service = spawn(process.execPath, [program], { env, stdio: 'inherit' })
  ended = once(service, 'exit')
  await until(async () => (await ask('/healthz')).status === 200)
  await until(() => doors().length === allDoors)
})
afterAll(async () => {
  service.kill('SIGKILL')
  await ended
})

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
const workers = () => childrenOf(service.pid!)

/** Sockets of this machine that listen on the port. */
const doors = () =>
  ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === '0A' && Number.parseInt(local!.split(':')[1]!, 16) === port)

/** Over a connection of its own, so that either process may answer. */
async function ask(path: string): Promise<{ status: number; body: string }> {
  const agent = new Agent({ keepAlive: false })
  try {
    const [response] = await once(get({ host: '127.0.0.1', port, path, agent }), 'response')
    return { status: response.statusCode, body: await text(response) }
  } catch {
    return { status: 0, body: '' }
  } finally {
    agent.destroy()
  }
}

async function answered(route: string): Promise<number> {
  const { body } = await ask('/metrics')
  const line = new RegExp(`^touchline_http_request_duration_seconds_count\\{.*route="${route}".*\\} (\\d+)$`, 'm')
  return Number(line.exec(body)?.[1] ?? 0)
}

describe('an API of several processes', { timeout: 120_000 }, () => {
  it('tells of all of them together, whichever is asked', async () => {
    const before = await answered('/healthz')
    for (let n = 0; n < 10; n++) expect((await ask('/healthz')).status).toBe(200)
    const [first, second] = [await answered('/healthz'), await answered('/healthz')]
    expect([first - before, second - before]).toEqual([10, 10])
  })

  it('has many doors, since one lets in one caller a turn', () => {
    expect(doors()).toHaveLength(allDoors)
  })

  it('lets no other service in at its port', async () => {
    const another = spawn(process.execPath, [program], { env, stdio: ['ignore', 'inherit', 'pipe'] })
    const [said, how] = await Promise.all([text(another.stderr!), once(another, 'exit')])
    expect(how).toEqual([1, null])
    expect(said).toBe(`Port ${port} is in use by another program: set PORT to a free one.\n`)
    expect(doors()).toHaveLength(allDoors)
  })

  it('ends as a failure when its processes cannot start', async () => {
    const broken = { ...env, PORT: '0', GEOIP_DATABASE: program }
    const another = spawn(process.execPath, [program], { env: broken, stdio: ['ignore', 'ignore', 'pipe'] })
    const [said, how] = await Promise.all([text(another.stderr!), once(another, 'exit')])
    expect(how).toEqual([1, null])
    expect(said).toMatch(/^GEOIP_DATABASE cannot be read/)
  })

  it('answers on and replaces a process that was killed', async () => {
    const [victim, other] = workers()
    process.kill(victim!, 'SIGKILL')
    await until(() => !workers().includes(victim!) && workers().length === 2)
    expect(workers()).toContain(other)
    await until(async () => (await ask('/healthz')).status === 200)
  })

  it('ends with all its processes when it is told to', async () => {
    const all = workers()
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    await until(() => all.every((pid) => !isAlive(pid)))
  })
})

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
