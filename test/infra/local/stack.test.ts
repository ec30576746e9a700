import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Endpoints, endpointsFile, readEndpoints, secretFile } from '../../../infra/config.ts'
import type { EngineName } from '../../../infra/local/engine.ts'
import { identify, pidFile, recordedProcess } from '../../../infra/local/process-record.ts'
import { engines, type Stack, startStack } from '../../../infra/local/stack.ts'
import { stopStack } from '../../../infra/local/stop.ts'
import { memory } from './engine-memory.ts'
import { processesOf } from './process-list.ts'

/** The engines that other tests share are left out: these tests start and kill their own. */
const env = { PATH: process.env.PATH, HOME: process.env.HOME, JAVA_HOME: process.env.JAVA_HOME }
const folder = mkdtempSync(join(tmpdir(), 'touchline-'))
const home = join(folder, 'first')
const lines: string[] = []
let stack: Stack

const start = (where: string, more: NodeJS.ProcessEnv = {}) =>
  startStack({ home: where, port: 0, services: false, env: { ...env, ...more }, report: (line) => lines.push(line) })
const pidIn = (where: string, name: string) => Number(readFileSync(pidFile(where, name), 'utf8'))
const names: EngineName[] = ['postgres', 'kafka', 'clickhouse', 'valkey']

beforeAll(async () => {
  stack = await start(home)
}, 180_000)
afterAll(async () => {
  await stack.stop()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

test('all four engines answer at the addresses that the endpoints file tells', async () => {
  expect(readEndpoints(home)).toEqual(stack.endpoints)
  for (const engine of engines) {
    const address = stack.endpoints[engine.variable.toLowerCase() as keyof Endpoints]
    await expect(engine.check(address ?? expect.fail(`no ${engine.name}`))).resolves.toMatch(/\d/)
  }
})

test('files that hold a secret are readable by their owner alone', () => {
  for (const file of [endpointsFile(home), secretFile(home)]) expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(Buffer.from(readFileSync(secretFile(home), 'utf8'), 'base64')).toHaveLength(32)
})

test.each(names)(
  'after a kill -9 %s is started again and has kept its data',
  async (name) => {
    await memory[name].write(stack.endpoints, 'word')
    const killed = pidIn(home, name)
    process.kill(killed, 'SIGKILL')
    await vi.waitUntil(() => lines.some((line) => line.startsWith(`!! ${name} is back`)), 120_000)
    expect(pidIn(home, name)).not.toBe(killed)
    expect(await memory[name].read(stack.endpoints, 'word')).toBe(true)
  },
  60_000,
)

test('a second stack in the same home is refused and the first goes on', async () => {
  await expect(start(home)).rejects.toThrow(/already runs/)
  expect(readEndpoints(home)).toEqual(stack.endpoints)
  expect(identify(pidIn(home, 'kafka'))).toBeDefined()
})

test('a stack beside the first, in a folder left half made, with a port taken and old pid files, starts and stops alone', async () => {
  const second = join(folder, 'second')
  for (const half of ['postgres/data.part', 'postgres/data/base', 'kafka/data.part', 'kafka/data', 'run']) {
    mkdirSync(join(second, half), { recursive: true })
  }
  const server = createServer().listen(0, '127.0.0.1')
  const taken = await vi.waitUntil(() => server.address() as { port: number } | null)
  writeFileSync(join(second, 'ports.json'), JSON.stringify({ kafka: taken.port, postgres: taken.port }))
  const stranger = spawn('sleep', ['1000'], { detached: true })
  const pid = stranger.pid ?? expect.fail('no process')
  for (const name of [...names, 'supervisor']) {
    writeFileSync(pidFile(second, name), `${pid}\n`)
    writeFileSync(join(second, 'run', `${name}.json`), JSON.stringify({ pid, began: 'another boot 1' }))
  }

  const beside = await start(second)
  for (const name of names) await memory[name].write(beside.endpoints, 'beside')
  expect(beside.endpoints.kafka_brokers).not.toContain(String(taken.port))
  expect(new Set([...Object.values(beside.endpoints), ...Object.values(stack.endpoints)]).size).toBe(10)

  await beside.stop()
  expect(processesOf(second)).toEqual([])
  expect(existsSync(endpointsFile(second))).toBe(false)
  for (const name of [...names, 'supervisor']) expect(existsSync(pidFile(second, name))).toBe(false)
  expect(identify(pid)).toBeDefined()
  for (const name of names) expect(recordedProcess(home, name)).toBeDefined()
  stranger.kill('SIGKILL')
  server.close()

  const again = await start(second)
  for (const name of names) expect(await memory[name].read(again.endpoints, 'beside')).toBe(true)
  await again.stop()
}, 180_000)

/** Engines of the first stack, so that a supervisor under test has only its own PostgreSQL and Valkey to start. */
const borrowed = () => ({
  ...env,
  KAFKA_BROKERS: stack.endpoints.kafka_brokers,
  CLICKHOUSE_URL: stack.endpoints.clickhouse_url,
})

async function startSupervisor(where: string) {
  const main = join(import.meta.dirname, '../../../infra/local/main.ts')
  const child = spawn(process.execPath, [main, '--engines-only'], {
    env: { ...borrowed(), TOUCHLINE_HOME: where },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await vi.waitUntil(() => existsSync(endpointsFile(where)), 120_000)
  return { child, ended }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'on %s a supervisor leaves nothing behind, and borrowed engines run on',
  async (signal) => {
    const where = join(folder, signal)
    const { child, ended } = await startSupervisor(where)
    expect(existsSync(pidFile(where, 'postgres'))).toBe(true)
    expect(existsSync(pidFile(where, 'kafka'))).toBe(false)
    child.kill(signal)
    await ended
    expect(processesOf(where)).toEqual([])
    expect(existsSync(endpointsFile(where))).toBe(false)
    for (const name of names) expect(recordedProcess(home, name)).toBeDefined()
  },
  60_000,
)

test('what a crashed supervisor left running is ended by the next start, and nothing is lost', async () => {
  const where = join(folder, 'crashed')
  const { child, ended } = await startSupervisor(where)
  const before = readEndpoints(where) ?? expect.fail('no endpoints')
  await memory.postgres.write(before, 'kept')
  const orphan = pidIn(where, 'postgres')
  child.kill('SIGKILL')
  await ended
  expect(identify(orphan)).toBeDefined()
  const next = await startStack({ home: where, port: 0, services: false, env: borrowed() })
  expect(identify(orphan)).toBeUndefined()
  expect(next.endpoints).toEqual({ ...before, base_url: next.endpoints.base_url })
  expect(await memory.postgres.read(next.endpoints, 'kept')).toBe(true)
  await next.stop()
}, 180_000)

test('what a crashed supervisor left running is ended by a stop as well', async () => {
  const where = join(folder, 'orphaned')
  const { child, ended } = await startSupervisor(where)
  child.kill('SIGKILL')
  await ended
  expect(processesOf(where)).not.toEqual([])
  expect(await stopStack(where, () => {})).toBe(true)
  await vi.waitUntil(() => processesOf(where).length === 0, 60_000)
  expect(await stopStack(where, () => {})).toBe(false)
}, 180_000)

test('an address that does not answer stops the start with one sentence and leaves nothing', async () => {
  const where = join(folder, 'unreachable')
  const failing = startStack({
    home: where,
    port: 0,
    services: false,
    env: { ...borrowed(), DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/none' },
  })
  await expect(failing).rejects.toThrow(/PostgreSQL at DATABASE_URL does not answer/)
  await expect(failing).rejects.not.toThrow(/hidden/)
  expect(processesOf(where)).toEqual([])
}, 180_000)

test('a home below a folder that only its owner may enter works, and PostgreSQL does not run as root', async () => {
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const inside = await startStack({ home: join(closed, 'home'), port: 0, services: false, env: borrowed() })
  await memory.postgres.write(inside.endpoints, 'inside')
  const status = readFileSync(`/proc/${pidIn(join(closed, 'home'), 'postgres')}/status`, 'utf8')
  expect(status).not.toMatch(/^Uid:\s+0/m)
  await inside.stop()
}, 180_000)
