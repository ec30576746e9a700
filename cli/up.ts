import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Command } from 'commander'
import { endpointsFile, loadStackSettings, readEndpoints } from '../infra/config.ts'
import { LaunchError } from '../infra/local/launch-error.ts'
import { identify, isRunning, logFile, recordedProcess, runFolder } from '../infra/local/process-record.ts'
import { stopStack } from '../infra/local/stop.ts'

const supervisor = join(import.meta.dirname, '../infra/local/main.ts')

export const command = () =>
  new Command()
    .option('--engines-only', 'start no services')
    .action(({ enginesOnly }: { enginesOnly?: boolean }) =>
      up(loadStackSettings().home, enginesOnly ? ['--engines-only'] : []),
    )

async function up(home: string, args: string[]) {
  mkdirSync(runFolder(home), { recursive: true })
  const log = follow(logFile(home, 'supervisor'))
  const running = recordedProcess(home, 'supervisor')
  if (running) console.log(`a stack already runs in ${home}`)
  else rmSync(endpointsFile(home), { force: true })
  const child = running ?? startSupervisor(home, args)
  const interrupt = () => stopStack(home, console.log).then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  let endpoints = readEndpoints(home)
  while (!endpoints) {
    const isAlive = isRunning(child)
    log.print()
    if (!isAlive) throw new LaunchError(`Nothing was left running; the whole log is ${logFile(home, 'supervisor')}.`)
    await delay(100)
    endpoints = readEndpoints(home)
  }
  log.print()
  console.log(endpoints.base_url)
}

/** In a session of its own, so that it outlives this command and its terminal. */
function startSupervisor(home: string, args: string[]) {
  const errors = openSync(logFile(home, 'supervisor'), 'a', 0o600)
  const child = spawn(process.execPath, [supervisor, ...args], { detached: true, stdio: ['ignore', 'ignore', errors] })
  closeSync(errors)
  child.unref()
  const identity = identify(child.pid ?? 0)
  if (!identity) throw new LaunchError('The supervisor could not be started.')
  return identity
}

/** Prints what the supervisor reports from now on, without the times its log has. */
function follow(file: string) {
  let offset = existsSync(file) ? statSync(file).size : 0
  return {
    print: () => {
      if (!existsSync(file)) return
      const bytes = Buffer.alloc(Math.max(0, statSync(file).size - offset))
      const descriptor = openSync(file, 'r')
      offset += readSync(descriptor, bytes, 0, bytes.length, offset)
      closeSync(descriptor)
      process.stdout.write(bytes.toString().replace(/^\d{4}-\d\d-\d\dT\S+ /gm, ''))
    },
  }
}
