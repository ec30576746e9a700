import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installDebianPackages } from '../infra/local/debian-packages.ts'
import { LaunchError } from '../infra/local/launch-error.ts'
import { findProgram, lastLines, runCommand } from '../infra/local/run-command.ts'
import { browser } from './browser.ts'
import type { Stage } from './stage.ts'

export interface LoadSettings {
  url: string
  /** Sent in turn, each on one line. */
  bodies: string[]
  connections: number
  seconds: number
  /** Beside a browser's own. */
  headers?: Record<string, string>
}

export interface Load {
  requestsPerSecond: number
  p99Ms: number
  failed: number
}

/** How many ask at once, where a line beside the bare route is measured. */
export const connectionCounts = [64, 256, 1024]

const script = join(import.meta.dirname, 'programs', 'load.lua')

/**
 * Every connection sends its next request when the one before was answered. By wrk, one thread of it: what sends the load
 * shares the cores with what is measured, and one in JavaScript took a fifth of them.
 */
export async function load(stage: Stage, settings: LoadSettings): Promise<Load> {
  const { url, bodies, connections, seconds, headers } = settings
  const wrk = await findWrk(stage)
  const folder = mkdtempSync(join(tmpdir(), 'touchline-load-'))
  const bodyFile = join(folder, 'bodies')
  writeFileSync(bodyFile, `${bodies.join('\n')}\n`)
  const named = Object.entries({ ...browser, ...headers }).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const run = (duration: number) =>
    runCommand(
      wrk,
      ['-t1', `-c${connections}`, `-d${duration}s`, '--timeout', '10s', '-s', script, ...named, url, '--', bodyFile],
      stage,
    )
  try {
    await run(1)
    const result = JSON.parse(lastLines(await run(seconds), 1)) as Load
    if (result.failed > 0) stage.report(`  ${result.failed} requests to ${url} failed`)
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function findWrk(stage: Stage): Promise<string> {
  const find = () => findProgram('wrk', stage.env)
  const wrk = find() ?? ((await installDebianPackages(['wrk'], stage)) ? find() : undefined)
  if (wrk) return wrk
  throw new LaunchError('The load comes from wrk and none was found: install it (on Debian: apt-get install wrk).')
}

/** Compilers take a third of a core for the first seconds; what is measured has been up for a while. */
export async function warmUp(stage: Stage, targets: Omit<LoadSettings, 'connections' | 'seconds'>[]): Promise<void> {
  for (const target of targets) await load(stage, { ...target, connections: 256, seconds: stage.isQuick ? 3 : 15 })
}
