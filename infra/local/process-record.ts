import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A pid alone may be reused by a stranger; with the time the process began it names one process. */
export interface ProcessIdentity {
  pid: number
  began: string
}

export const runFolder = (home: string) => join(home, 'run')
export const pidFile = (home: string, name: string) => join(runFolder(home), `${name}.pid`)
export const logFile = (home: string, name: string) => join(runFolder(home), `${name}.log`)
const identityFile = (home: string, name: string) => join(runFolder(home), `${name}.json`)

/** Undefined when no such process runs (one that ended but was not reaped does not run). */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    if (process.platform !== 'linux') {
      const began = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      return began ? { pid, began } : undefined
    }
    // The command name, in parentheses, may itself hold spaces: the fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { pid, began: `${boot} ${fields[19]}` }
  } catch {
    return undefined
  }
}

export const isRunning = (identity: ProcessIdentity) => identify(identity.pid)?.began === identity.began

export function recordProcess(home: string, name: string, pid: number): ProcessIdentity | undefined {
  const identity = identify(pid)
  writeFileSync(pidFile(home, name), `${pid}\n`)
  writeFileSync(identityFile(home, name), JSON.stringify(identity ?? { pid, began: '' }))
  return identity
}

/** The process recorded under this name, if it is still that very process. */
export function recordedProcess(home: string, name: string): ProcessIdentity | undefined {
  try {
    const identity = JSON.parse(readFileSync(identityFile(home, name), 'utf8')) as ProcessIdentity
    return isRunning(identity) ? identity : undefined
  } catch {
    return undefined
  }
}

export function forgetProcess(home: string, name: string) {
  rmSync(pidFile(home, name), { force: true })
  rmSync(identityFile(home, name), { force: true })
}

/** Takes the name for this process, or gives the process that holds it. */
export function claimName(home: string, name: string): ProcessIdentity | undefined {
  mkdirSync(runFolder(home), { recursive: true })
  const claim = join(runFolder(home), `${name}.${process.pid}.claim`)
  writeFileSync(claim, JSON.stringify(identify(process.pid)))
  try {
    for (;;) {
      try {
        linkSync(claim, identityFile(home, name))
        writeFileSync(pidFile(home, name), `${process.pid}\n`)
        return undefined
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        const holder = recordedProcess(home, name)
        if (holder) return holder
        forgetProcess(home, name)
      }
    }
  } finally {
    rmSync(claim, { force: true })
  }
}

/** Asks a process (and its group, when it leads one) to end, insists after the grace period, returns when it is gone. */
export async function endProcess(
  identity: ProcessIdentity,
  { signals = ['SIGTERM'], graceMs = 15_000, group = true }: EndOptions = {},
): Promise<void> {
  const target = group ? -identity.pid : identity.pid
  for (const signal of [...signals, 'SIGKILL'] as NodeJS.Signals[]) {
    if (!isRunning(identity)) break
    send(signal === 'SIGKILL' ? target : identity.pid, signal)
    const deadline = Date.now() + graceMs
    while (isRunning(identity) && Date.now() < deadline) await delay(25)
  }
  if (group) send(target, 'SIGKILL')
}

export interface EndOptions {
  signals?: NodeJS.Signals[]
  graceMs?: number
  group?: boolean
}

function send(target: number, signal: NodeJS.Signals) {
  try {
    process.kill(target, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
