import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LaunchError } from '../../../infra/local/launch-error.ts'
import { identify, logFile, pidFile, runFolder } from '../../../infra/local/process-record.ts'
import { type Program, type Supervised, supervise } from '../../../infra/local/supervisor.ts'

let home: string
let lines: string[]
const running: (Supervised | ChildProcess)[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'touchline-'))
  mkdirSync(runFolder(home))
  lines = []
})
afterEach(async () => {
  for (const one of running.splice(0)) await ('stop' in one ? one.stop() : one.kill('SIGKILL'))
  rmSync(home, { recursive: true, force: true })
})

/** A program that is ready once it has written its mark. */
function program(script: string, more: Partial<Program> = {}): Program {
  const mark = join(home, 'mark')
  const source = `const fs = require('fs'); const mark = () => fs.writeFileSync(${JSON.stringify(mark)}, String(process.pid));
    setInterval(() => {}, 1000); ${script}`
  return {
    name: 'program',
    command: process.execPath,
    args: ['-e', source],
    env: process.env,
    ready: async () => {
      if (!existsSync(mark)) throw new Error('no mark')
      rmSync(mark)
    },
    ...more,
  }
}

async function start(script: string, more: Partial<Program> = {}) {
  const supervised = await supervise(program(script, more), { home, report: (line) => lines.push(line) })
  running.push(supervised)
  return supervised
}

const pidOf = (supervised: Supervised) => supervised.pid() ?? expect.fail('no process')

test('a program that dies is started again, and it is said which and why', async () => {
  const supervised = await start('mark()')
  const first = pidOf(supervised)
  process.kill(first, 'SIGKILL')
  await vi.waitUntil(() => lines.some((line) => line.includes('is back')), 60_000)
  expect(pidOf(supervised)).not.toBe(first)
  expect(readFileSync(pidFile(home, 'program'), 'utf8').trim()).toBe(String(pidOf(supervised)))
  expect(lines[0]).toMatch(/^!! program ended with SIGKILL; starting it again in 0\.25 s/)
})

test('each restart waits longer than the one before', async () => {
  const supervised = await start('mark()')
  for (const restarts of [1, 2, 3]) {
    process.kill(pidOf(supervised), 'SIGKILL')
    await vi.waitUntil(() => lines.filter((line) => line.includes('is back')).length === restarts, 60_000)
  }
  expect(lines.flatMap((line) => /again in (\S+) s/.exec(line)?.[1] ?? [])).toEqual(['0.25', '0.5', '1'])
})

test('a program that ignores the request to end is ended all the same, with its children', async () => {
  const script = `process.on('SIGTERM', () => {});
    const child = require('child_process').spawn('sleep', ['1000']); fs.writeFileSync(${JSON.stringify(join(home, 'child'))}, String(child.pid)); mark()`
  const supervised = await start(script, { graceMs: 200 })
  const child = Number(readFileSync(join(home, 'child'), 'utf8'))
  expect(identify(child)).toBeDefined()
  const leader = pidOf(supervised)
  await supervised.stop()
  expect(identify(leader)).toBeUndefined()
  await vi.waitUntil(() => identify(child) === undefined, 60_000)
  expect(existsSync(pidFile(home, 'program'))).toBe(false)
})

test('a program that cannot start stops the launch with the last lines of its log', async () => {
  const launch = start(`console.error('the port is taken'); process.exit(7)`)
  await expect(launch).rejects.toThrow(LaunchError)
  await expect(launch).rejects.toThrow(/program ended with exit code 7 before it was ready.*the port is taken/s)
  expect(existsSync(logFile(home, 'program'))).toBe(true)
  expect(existsSync(pidFile(home, 'program'))).toBe(false)
})

test('a program that is missing stops the launch', async () => {
  await expect(start('', { command: join(home, 'missing') })).rejects.toThrow(/program cannot be started/)
})

test('an interrupted launch leaves no process', async () => {
  const interrupt = new AbortController()
  const started = join(home, 'started')
  const endless = program(`fs.writeFileSync(${JSON.stringify(started)}, String(process.pid))`)
  const launch = supervise(endless, { home, report: () => {}, signal: interrupt.signal })
  await vi.waitUntil(() => existsSync(started) && readFileSync(started, 'utf8') !== '', 60_000)
  interrupt.abort()
  await expect(launch).rejects.toThrow(/aborted/)
  expect(identify(Number(readFileSync(started, 'utf8')))).toBeUndefined()
})

test('a stop while a restart waits ends the waiting', async () => {
  const supervised = await start('mark()')
  process.kill(pidOf(supervised), 'SIGKILL')
  await vi.waitUntil(() => lines.length > 0, 60_000)
  await supervised.stop()
  expect(lines.some((line) => line.includes('is back'))).toBe(false)
})

test('another program with the pid of an old record is left alone', async () => {
  const stranger = spawn('sleep', ['1000'], { detached: true })
  running.push(stranger)
  const pid = stranger.pid ?? expect.fail('no process')
  writeFileSync(join(runFolder(home), 'program.json'), JSON.stringify({ pid, began: 'another boot 1' }))
  writeFileSync(pidFile(home, 'program'), `${pid}\n`)
  const supervised = await start('mark()')
  await supervised.stop()
  expect(identify(pid)).toBeDefined()
})
