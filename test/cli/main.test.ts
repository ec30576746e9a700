import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { endpointsFile, readEndpoints } from '../../infra/config.ts'
import { recordedProcess } from '../../infra/local/process-record.ts'
import { stopStack } from '../../infra/local/stop.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchline-'))
const home = join(folder, 'home')
const entry = join(import.meta.dirname, '../../bin/touchline')
afterAll(async () => {
  await stopStack(home, () => {})
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

interface Result {
  code: number
  out: string
  err: string
}

function touchline(args: string[], env: NodeJS.ProcessEnv = {}, command = entry): Promise<Result> {
  return new Promise((resolve) => {
    // Vitest sets a BASE_URL of its own.
    const options = { cwd: folder, env: { ...process.env, BASE_URL: '', TOUCHLINE_HOME: home, ...env } }
    execFile(command, args, options, (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }))
  })
}

test('the entry works from any folder and through a link', async () => {
  const link = join(folder, 'touchline')
  symlinkSync(entry, link)
  const { code, out } = await touchline(['--help'], {}, link)
  expect(code).toBe(0)
  expect(out).toMatch(/doctor +say what runs where/)
})

test('a malformed setting stops a command with one sentence', async () => {
  const { code, err } = await touchline(['down'], { PORT: 'eighty' })
  expect(code).toBe(1)
  expect(err).toMatch(/^PORT is not usable: .*\n$/)
})

test('up returns when the stack is ready with the base address as its last line, down stops it', async () => {
  const started = await touchline(['up', '--engines-only'], { PORT: '19199', HOST: '' })
  expect(started).toMatchObject({ code: 0, err: '' })
  expect(started.out.trimEnd().split('\n').at(-1)).toBe('http://127.0.0.1:19199')
  expect(readEndpoints(home)?.base_url).toBe('http://127.0.0.1:19199')
  const supervisor = recordedProcess(home, 'supervisor')
  expect(supervisor).toBeDefined()

  const again = await touchline(['up', '--engines-only'])
  expect(again.out).toMatch(/already runs in .*\nhttp:\/\/127\.0\.0\.1:19199\n$/)
  expect(recordedProcess(home, 'supervisor')).toEqual(supervisor)

  const { out } = await touchline(['doctor', '--json'], { API_URL: '' })
  const states = JSON.parse(out).findings.map(({ name, state }: { name: string; state: string }) => [name, state])
  expect(Object.fromEntries(states)).toMatchObject({ node: 'ok', supervisor: 'ok', kafka: 'ok', api: 'broken' })
  expect(out).not.toContain(new URL(readEndpoints(home)?.database_url ?? '').password)

  expect((await touchline(['down'])).out).toMatch(/^stopped the stack/m)
  expect(recordedProcess(home, 'supervisor')).toBeUndefined()
  expect(existsSync(endpointsFile(home))).toBe(false)
}, 180_000)

test('up says what is wrong and leaves nothing running when an engine does not answer', async () => {
  const { code, out, err } = await touchline(['up', '--engines-only'], { KAFKA_BROKERS: '127.0.0.1:1' })
  expect(code).toBe(1)
  expect(out).toMatch(/The Kafka .* at KAFKA_BROKERS does not answer .*: start it, correct KAFKA_BROKERS/)
  expect(err).toMatch(/^Nothing was left running/)
  expect(recordedProcess(home, 'supervisor')).toBeUndefined()
}, 180_000)

test('doctor fails and names the fix when nothing runs', async () => {
  const none = { KAFKA_BROKERS: '', CLICKHOUSE_URL: '', DATABASE_URL: '', REDIS_URL: '', API_URL: '' }
  const { code, out } = await touchline(['doctor'], none)
  expect(code).toBe(1)
  expect(out).toMatch(/BROKEN +kafka +not running\n +→ run "make up", or set KAFKA_BROKERS/)
})
