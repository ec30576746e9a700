// Runs on whatever Node the machine has, before anything is installed: no dependency, no TypeScript.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const checkout = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..')
const needed = 24

if (!isInstalled()) {
  const began = Date.now()
  console.log('fetching the npm packages …')
  // Not `npm ci`: it refuses a lock file that lacks builds for platforms the registry does not serve. Versions are the
  // lock file's here as well, and `--no-save` leaves that file alone.
  const npm = spawnSync('npm', ['install', '--no-save', '--no-progress', '--loglevel=error'], {
    cwd: checkout,
    encoding: 'utf8',
  })
  if (npm.status !== 0) {
    const output = `${npm.stdout ?? ''}${npm.stderr ?? ''}${npm.error?.message ?? ''}`
    console.error(output.trimEnd())
    console.error(
      'The npm packages could not be installed: check that npm is there and reaches its registry, then try again.',
    )
    process.exit(1)
  }
  console.log(`fetched the npm packages (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}
if (!hasNewEnoughNode()) {
  console.error(
    `Touchline needs Node ${needed} or newer and npm has no build of it for ${process.platform}-${process.arch}: ` +
      `install Node ${needed} and try again.`,
  )
  process.exit(1)
}

/** What is in node_modules is what package-lock.json asks for; optional packages depend on the platform. */
function isInstalled() {
  const installed = read('node_modules/.package-lock.json')
  const wanted = read('package-lock.json')
  if (!installed || !wanted) return false
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) =>
      path === '' || installed.packages[path]?.version === version || (optional && !installed.packages[path]),
  )
}

function read(file) {
  try {
    return JSON.parse(readFileSync(join(checkout, file), 'utf8'))
  } catch {
    return undefined
  }
}

function hasNewEnoughNode() {
  const own = join(checkout, 'node_modules/.bin/node')
  return [own, 'node'].some((node) => {
    if (node === own && !existsSync(own)) return false
    try {
      return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) >= needed
    } catch {
      return false
    }
  })
}
