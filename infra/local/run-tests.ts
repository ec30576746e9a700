import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkout } from './cache.ts'
import { type Foreground, startUntilSignal } from './foreground.ts'
import { endProcess, identify, recordedProcess } from './process-record.ts'
import { stopStack } from './stop.ts'

/** Runs the tests against engines of their own, in a home that is removed afterwards. */
const prefix = '.touchline-test-'
const report = (line: string) => console.log(line)

for (const name of readdirSync(checkout).filter((folder) => folder.startsWith(prefix))) {
  const left = join(checkout, name)
  if (recordedProcess(left, 'supervisor')) continue
  await stopStacksBelow(left)
  rmSync(left, { recursive: true, force: true })
}
const home = mkdtempSync(join(checkout, prefix))
const running = await startUntilSignal({ home, port: 0, services: false, env: process.env, report })
const code = running ? await runVitest(running) : 1
await running?.finish()
if (running) process.exitCode = code
if (code !== 0 && running && !running.interrupted.aborted) report(`the logs of the engines are in ${join(home, 'run')}`)
else rmSync(home, { recursive: true, force: true })

/** Stacks that tests start live below this run's home too, so that an interrupted run can stop them. */
async function runVitest({ stack, interrupted }: Foreground): Promise<number> {
  const temporary = join(home, 'tmp')
  mkdirSync(temporary)
  const vitest = spawn(join(checkout, 'node_modules/.bin/vitest'), ['run', ...process.argv.slice(2)], {
    cwd: checkout,
    env: { ...stack.env, TMPDIR: temporary, PATH: `${join(checkout, 'node_modules/.bin')}:${process.env.PATH}` },
    stdio: 'inherit',
    // A group of its own: its workers end with it.
    detached: true,
  })
  const identity = identify(vitest.pid ?? 0)
  interrupted.addEventListener('abort', () => identity && endProcess(identity, { graceMs: 2_000 }))
  const exitCode = await new Promise<number>((resolve) => {
    vitest.once('error', () => resolve(1))
    vitest.once('exit', (status) => resolve(status ?? 130))
  })
  if (identity) await endProcess(identity)
  await stopStacksBelow(temporary)
  return exitCode
}

async function stopStacksBelow(folder: string) {
  for (const run of globSync(join(folder, '**/run/'))) await stopStack(dirname(run), report)
}
