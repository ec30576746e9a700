import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from './cache.ts'
import { startUntilSignal } from './foreground.ts'
import { endOrphans } from './home.ts'
import { recordedProcess } from './process-record.ts'

/** Runs the tests against engines of their own, in a home that is removed afterwards. */
const prefix = '.touchline-test-'
const report = (line: string) => console.log(line)

for (const name of readdirSync(checkout).filter((folder) => folder.startsWith(prefix))) {
  const left = join(checkout, name)
  if (recordedProcess(left, 'supervisor')) continue
  await endOrphans(left, report)
  rmSync(left, { recursive: true, force: true })
}

const home = mkdtempSync(join(checkout, prefix))
const running = await startUntilSignal({ home, port: 0, services: false, env: process.env, report })
if (running) {
  const vitest = spawn(join(checkout, 'node_modules/.bin/vitest'), ['run', ...process.argv.slice(2)], {
    cwd: checkout,
    env: { ...running.stack.env, PATH: `${join(checkout, 'node_modules/.bin')}:${process.env.PATH}` },
    stdio: 'inherit',
  })
  running.finished.then(() => vitest.kill('SIGTERM'))
  const code = await new Promise<number>((resolve) => {
    vitest.once('error', () => resolve(1))
    vitest.once('exit', (exitCode) => resolve(exitCode ?? 130))
  })
  await running.finish()
  process.exitCode = code
  if (code === 0) rmSync(home, { recursive: true, force: true })
  else report(`the engines' logs of this run are in ${join(home, 'run')}`)
} else {
  rmSync(home, { recursive: true, force: true })
}
