import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { LaunchError } from './launch-error.ts'
import {
  type EndOptions,
  endProcess,
  forgetProcess,
  logFile,
  type ProcessIdentity,
  recordProcess,
} from './process-record.ts'
import { type Report, seconds } from './progress.ts'
import { lastLines } from './run-command.ts'

export interface Program {
  name: string
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  cwd?: string
  /** Rejects as long as the program does not answer. */
  ready: () => Promise<unknown>
  /** Signals that ask it to end, the gentlest first; SIGKILL always comes last. */
  stopSignals?: NodeJS.Signals[]
  graceMs?: number
}

export interface Supervised {
  name: string
  pid: () => number | undefined
  stop: () => Promise<void>
}

interface Options {
  home: string
  report: Report
  signal?: AbortSignal | undefined
}

const startAttempts = 3
const readyTimeoutMs = 120_000
const firstPauseMs = 250
const longestPauseMs = 30_000
/** A program that stayed up this long is taken as healthy: its next restart is quick again. */
const healthyAfterMs = 60_000
const largestLogBytes = 16 * 1024 * 1024

/** Starts a program, returns when it is ready, and from then on starts it again whenever it ends by itself. */
export async function supervise(program: Program, { home, report, signal }: Options): Promise<Supervised> {
  const { name } = program
  const stopping = new AbortController()
  const stopped = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal
  const ending: EndOptions = {
    ...(program.stopSignals && { signals: program.stopSignals }),
    ...(program.graceMs && { graceMs: program.graceMs }),
  }
  let current: Running | undefined

  const start = async (): Promise<Running> => {
    const running = launch(program, home)
    current = running
    try {
      await untilReady(program, running, stopped)
      return running
    } catch (error) {
      if (running.identity) await endProcess(running.identity, ending)
      throw error
    }
  }

  const keepUp = async (first: Running) => {
    let running = first
    let pauseMs = firstPauseMs
    for (;;) {
      const readySince = Date.now()
      let why = await running.ended
      if (Date.now() - readySince > healthyAfterMs) pauseMs = firstPauseMs
      for (;;) {
        if (stopped.aborted) return
        report(`!! ${name} ${why}; starting it again in ${pauseMs / 1000} s (log: ${logFile(home, name)})`)
        await delay(pauseMs, undefined, { signal: stopped }).catch(() => {})
        if (stopped.aborted) return
        const began = Date.now()
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
        try {
          running = await start()
          report(`!! ${name} is back (pid ${running.pid}, ${seconds(began)})`)
          break
        } catch (error) {
          why = (error as Error).message
        }
      }
    }
  }

  const running = await startFirst(name, home, start, stopped)
  const keeping = keepUp(running)
  return {
    name,
    pid: () => current?.pid,
    stop: async () => {
      stopping.abort()
      if (current?.identity) await endProcess(current.identity, ending)
      await keeping
      forgetProcess(home, name)
    },
  }
}

interface Running {
  pid: number
  identity: ProcessIdentity | undefined
  /** Says in words how the process ended. */
  ended: Promise<string>
  hasEnded: () => string | undefined
}

async function startFirst(name: string, home: string, start: () => Promise<Running>, stopped: AbortSignal) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (attempt < startAttempts && !stopped.aborted) {
        await delay(firstPauseMs * attempt)
        continue
      }
      forgetProcess(home, name)
      if (stopped.aborted) throw error
      const log = logFile(home, name)
      throw new LaunchError(
        `${name} ${(error as Error).message}; the last lines of ${log}:\n${lastLines(readFileSync(log, 'utf8'), 8)}`,
      )
    }
  }
}

function launch({ name, command, args, env, cwd }: Program, home: string): Running {
  const log = logFile(home, name)
  rotate(log)
  const descriptor = openSync(log, 'a', 0o600)
  // In a session of its own: a Ctrl-C in the terminal reaches the supervisor alone, which stops things in order.
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', descriptor, descriptor] })
  closeSync(descriptor)
  let how: string | undefined
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`cannot be started: ${error.message}`))
    child.once('exit', (code, signal) => resolve(`ended with ${signal ?? `exit code ${code}`}`))
  }).then((words) => {
    how = words
    return words
  })
  const pid = child.pid ?? 0
  try {
    const identity = pid ? recordProcess(home, name, pid) : undefined
    return { pid, identity, ended, hasEnded: () => how }
  } catch (error) {
    // A process without a record would be lost to the next start.
    child.kill('SIGKILL')
    throw error
  }
}

async function untilReady(program: Program, running: Running, stopped: AbortSignal) {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    stopped.throwIfAborted()
    const how = running.hasEnded()
    if (how !== undefined) throw new Error(`${how} before it was ready`)
    try {
      await program.ready()
      return
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`is not ready after ${readyTimeoutMs / 1000} s (${(error as Error).message})`)
      }
    }
    await Promise.race([delay(100), running.ended])
  }
}

function rotate(log: string) {
  try {
    if (statSync(log).size > largestLogBytes) renameSync(log, `${log}.1`)
  } catch {
    // No log yet.
  }
}
