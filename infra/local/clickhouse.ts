import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { Engine, Place } from './engine.ts'
import { LaunchError } from './launch-error.ts'
import { findProgram } from './run-command.ts'

const front = join(import.meta.dirname, 'clickhouse/main.ts')
/** The library runs each query on a thread of Node's pool: this many may run side by side. */
const engineThreads = 64

export const clickhouse: Engine = {
  name: 'clickhouse',
  title: 'ClickHouse',
  variable: 'CLICKHOUSE_URL',

  fetch: async ({ env }) => {
    if (!findProgram('clickhouse', env) && !existsSync(front)) {
      throw new LaunchError('No clickhouse binary was found: install ClickHouse or set CLICKHOUSE_URL.')
    }
    return true
  },

  prepare: async (place) => {
    await mkdir(place.folder, { recursive: true })
    const address = `http://127.0.0.1:${place.port}`
    const binary = findProgram('clickhouse', place.env)
    const run = binary ? await runServer(binary, place) : runLibrary(place)
    return {
      address,
      program: {
        name: 'clickhouse',
        cwd: place.folder,
        ready: () => clickhouse.check(address),
        graceMs: 30_000,
        ...run,
      },
    }
  },

  check: async (address) => {
    const client = createClient({ url: address, request_timeout: 5_000, log: { level: ClickHouseLogLevel.OFF } })
    try {
      const result = await client.query({ query: 'SELECT version() AS version', format: 'JSONEachRow' })
      const [row] = await result.json<{ version: string }>()
      return `ClickHouse ${row?.version}`
    } finally {
      await client.close()
    }
  },
}

// The two forms keep their data apart: a folder of one is not a folder of the other.
const runLibrary = ({ folder, port, env }: Place) => ({
  command: process.execPath,
  args: [front, '--data', join(folder, 'library'), '--port', String(port)],
  env: { ...env, UV_THREADPOOL_SIZE: env.UV_THREADPOOL_SIZE ?? String(engineThreads) },
})

async function runServer(binary: string, { folder, port, env }: Place) {
  const data = join(folder, 'server')
  const config = join(folder, 'config.xml')
  await mkdir(data, { recursive: true })
  await writeFile(config, serverConfig(data, port))
  return { command: binary, args: ['server', `--config-file=${config}`], env }
}

const serverConfig = (data: string, port: number) => `<clickhouse>
  <logger><console>1</console><level>warning</level></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <path>${text(data)}/</path>
  <tmp_path>${text(data)}/tmp/</tmp_path>
  <user_files_path>${text(data)}/user_files/</user_files_path>
  <max_server_memory_usage>1500000000</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <users><default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
  <profiles><default><max_threads_min_free_memory_per_thread>134217728</max_threads_min_free_memory_per_thread></default></profiles>
  <quotas><default/></quotas>
</clickhouse>
`

const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
