import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Endpoints, endpointsFile, linkTokenKeyFile, secretFile } from '../config.ts'
import { LaunchError } from './launch-error.ts'
import { claimName, endProcess, forgetProcess, logFile, recordedProcess, runFolder } from './process-record.ts'
import type { Report } from './progress.ts'

/** Started in this order, engines first; ended the other way round. */
const processNames = ['postgres', 'kafka', 'clickhouse', 'valkey', 'processors', 'api']

/** Makes the folder this process's own, and ends what a supervisor that crashed left running in it. */
export async function takeHome(home: string, report: Report): Promise<void> {
  mkdirSync(runFolder(home), { recursive: true })
  const holder = claimName(home, 'supervisor')
  if (holder) {
    throw new LaunchError(
      `A stack already runs in ${home} (process ${holder.pid}): run "make down" first, or set TOUCHLINE_HOME to another folder.`,
    )
  }
  rmSync(endpointsFile(home), { force: true })
  await endOrphans(home, report)
}

export function leaveHome(home: string) {
  rmSync(endpointsFile(home), { force: true })
  forgetProcess(home, 'supervisor')
}

export async function endOrphans(home: string, report: Report): Promise<number> {
  let count = 0
  for (const name of processNames.toReversed()) {
    const orphan = recordedProcess(home, name)
    if (orphan) {
      report(`ending ${name} (pid ${orphan.pid}), left behind by a supervisor that crashed`)
      await endProcess(orphan, name === 'postgres' ? { signals: ['SIGINT', 'SIGQUIT'] } : {})
      count++
    }
    forgetProcess(home, name)
  }
  return count
}

/** The stack's own secret, made once; data sealed with it stays readable over restarts. */
export function obtainSecret(home: string, env: NodeJS.ProcessEnv): string {
  return env.TOUCHLINE_SECRET || stored(secretFile(home), randomSecret)
}

/** A local stack has link tokens without being told to. */
export function obtainLinkTokenKeys(home: string, env: NodeJS.ProcessEnv): string {
  return env.LINK_TOKEN_KEYS || stored(linkTokenKeyFile(home), () => `local:${randomSecret()}`)
}

const randomSecret = () => randomBytes(32).toString('base64')

function stored(file: string, make: () => string): string {
  if (!existsSync(file)) writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8').trim()
}

export function writeEndpoints(home: string, endpoints: Endpoints) {
  writeFileSync(endpointsFile(home), `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 })
}

/** What is reported is also written, with its time, to the supervisor's log. */
export function logged(home: string, report: Report): Report {
  const log = logFile(home, 'supervisor')
  return (line) => {
    report(line)
    try {
      appendFileSync(log, `${new Date().toISOString()} ${line}\n`)
    } catch {
      // A full disk must not take the supervisor down with it.
    }
  }
}
