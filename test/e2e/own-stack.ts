import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { pidFile } from '../../infra/local/process-record.ts'
import { type Stack, startStack } from '../../infra/local/stack.ts'

export interface OwnStack extends Stack {
  /** Runs `bin/touchline` against this stack and reads what it prints as JSON. */
  touchline<Answer = object>(...args: string[]): Promise<Answer>
  /** Ends a process of the stack without warning. */
  kill(name: string): void
  /** Until the supervisor has started it again. */
  isBack(name: string): Promise<void>
  remove(): Promise<void>
}

/** Engines and services that a test may kill: the ones other tests share are left out. */
export async function ownStack(): Promise<OwnStack> {
  const folder = mkdtempSync(join(tmpdir(), 'touchline-e2e-'))
  const home = join(folder, 'home')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, JAVA_HOME: process.env.JAVA_HOME, LOG_LEVEL: 'warn' }
  const lines: string[] = []
  const stack = await startStack({ home, port: 0, services: true, env, report: (line) => lines.push(line) })
  const comebacks = (name: string) => lines.filter((line) => line.startsWith(`!! ${name} is back`)).length
  const expected = new Map<string, number>()
  return {
    ...stack,
    touchline: async (...args: string[]) => {
      const { stdout } = await promisify(execFile)('bin/touchline', args, { env: { ...stack.env }, maxBuffer: 1e8 })
      return JSON.parse(stdout)
    },
    kill: (name) => {
      expected.set(name, comebacks(name) + 1)
      process.kill(Number(readFileSync(pidFile(home, name), 'utf8')), 'SIGKILL')
    },
    isBack: async (name) => {
      await vi.waitUntil(() => comebacks(name) >= (expected.get(name) ?? 0), { timeout: 120_000, interval: 50 })
    },
    remove: async () => {
      await stack.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
