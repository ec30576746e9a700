import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cached, checkout } from './cache.ts'
import { installDebianPackages } from './debian-packages.ts'
import { type Foreground, startUntilSignal } from './foreground.ts'
import { findPython } from './python-wheel.ts'
import { runCommand } from './run-command.ts'

/** Lets schemathesis call every operation of a real stack with data made from the description. */
const version = '4.32.5'
const report = (line: string) => console.log(line)
const surroundings = { env: process.env, report }

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
]

const library = await cached(`schemathesis-${version}`, async (folder) => {
  report(`fetching schemathesis ${version}`)
  const python = findPython(process.env)
  if (!python) throw new Error('no python3 on PATH')
  const hasPip = await runCommand(python, ['-m', 'pip', '--version'], surroundings).catch(() => undefined)
  if (!hasPip) await installDebianPackages(['python3-pip'], surroundings)
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:']
  await runCommand(python, [...install, '--target', folder, `schemathesis==${version}`], surroundings)
})
const home = mkdtempSync(join(checkout, '.touchline-test-'))
const running = await startUntilSignal({ home, port: 0, services: true, env: process.env, report })
const code = running ? await fuzz(running) : 1
await running?.finish()
if (running) process.exitCode = code
if (code !== 0 && running && !running.interrupted.aborted)
  report(`the logs of the services are in ${join(home, 'run')}`)
else rmSync(home, { recursive: true, force: true })

async function fuzz({ stack, interrupted }: Foreground): Promise<number> {
  const touchline = async (...args: string[]) =>
    JSON.parse(await runCommand(join(checkout, 'bin/touchline'), [...args, '--json'], { env: stack.env }))
  const { profile_id } = await touchline('profiles', 'create', '--name', 'described')
  const scopes =
    'analytics_pii,attribution_write,goals:write,campaigns:apply,creatives:write,exports:read,exports:write'
  const limits = ['--rate-limit', '1000000']
  const { key } = await touchline('keys', 'create', '--profile', profile_id, '--scopes', scopes, ...limits)
  const url = stack.endpoints.base_url
  const schemathesis = spawn(
    findPython(process.env) ?? 'python3',
    [
      ...['-m', 'schemathesis.cli', 'run', `${url}/api/v1/openapi.json`, '--url', url],
      ...['--header', `Authorization: Bearer ${key}`, '--checks', checks.join(','), '--continue-on-failure'],
      // One worker: CPython 3.11 trips over its own parser when several threads make test data.
      ...['--phases', 'examples,coverage,fuzzing', '--max-examples', process.env.EXAMPLES ?? '15', '--workers', '1'],
      ...['--warnings', 'off', '--request-timeout', '40', ...process.argv.slice(2)],
    ],
    { cwd: home, env: { ...process.env, PYTHONPATH: library, PYTHONUTF8: '1' }, stdio: 'inherit' },
  )
  interrupted.addEventListener('abort', () => schemathesis.kill())
  return new Promise((resolve) => {
    schemathesis.once('error', () => resolve(1))
    schemathesis.once('exit', (status) => resolve(status ?? 130))
  })
}
