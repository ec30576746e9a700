import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { connectClickhouse, type Warehouse } from '../clickhouse/client.ts'
import { generationDatabase } from '../clickhouse/generations.ts'
import { migrateClickhouse } from '../clickhouse/migrate.ts'
import { type Config, loadConfig } from '../infra/config.ts'
import { findFreePort } from '../infra/local/ports.ts'
import type { Report } from '../infra/local/progress.ts'
import { migrate, servicePrograms } from '../infra/local/services.ts'
import { type Stack, startStack } from '../infra/local/stack.ts'
import { type Supervised, supervise } from '../infra/local/supervisor.ts'
import { connectPostgres } from '../postgres/client.ts'
import { liveGeneration } from '../postgres/stores/warehouse.ts'
import { type Memory, watchMemory } from './memory.ts'

export interface Stage {
  config: Config
  env: NodeJS.ProcessEnv
  isQuick: boolean
  report: Report
  /** Aborted when the run is interrupted. */
  signal: AbortSignal
  memory: Memory
  /** Starts one of our services; it is up until its `stop`. */
  service(name: 'api' | 'processors'): Promise<Supervised>
  /** What the processors have measured of themselves, as Prometheus reads it. */
  metrics(): Promise<string>
  /** A program of this folder in a process of its own, which answers by messages. */
  program(file: string, settings: object): Program
  /** A migrated database that is dropped when it is closed. */
  database(): Promise<Database>
  /** The database that the services read. */
  live(): Promise<Database>
  stop(): Promise<void>
}

export interface Program {
  next<Message>(): Promise<Message>
  send(message: object): void
  stop(): Promise<void>
}

export interface Database {
  name: string
  warehouse: Warehouse
  run(sql: string, settings?: Record<string, string | number>): Promise<void>
  rows<Row>(sql: string): Promise<Row[]>
  close(): Promise<void>
}

interface Options {
  home: string
  isQuick: boolean
  report: Report
  signal: AbortSignal
}

/** Engines of its own in a temporary home, with nothing else running until a line asks for it. */
export async function openStage({ home, isQuick, report, signal }: Options): Promise<Stage> {
  const stack = await startStack({ home, port: 0, services: false, env: ownEnvironment(), report, signal })
  try {
    return await dress(stack, { home, isQuick, report, signal })
  } catch (error) {
    await stack.stop()
    throw error
  }
}

/** Figures are of engines that nobody else uses: addresses that are set are left out. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { KAFKA_BROKERS, CLICKHOUSE_URL, DATABASE_URL, REDIS_URL, BASE_URL, TOUCHLINE_SECRET, ...env } = process.env
  // The limits are asked for every hit, as always; they are only never reached.
  return { ...env, COLLECT_LIMIT_PER_KEY: '1000000000', COLLECT_LIMIT_PER_ADDRESS: '1000000000' }
}

async function dress(stack: Stack, { home, isQuick, report, signal }: Options): Promise<Stage> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  const base_url = `http://127.0.0.1:${port}`
  const env = { ...stack.env, PORT: String(port), BASE_URL: base_url }
  const config = loadConfig(env)
  await migrate({ env, report, signal })
  const endpoints = { ...stack.endpoints, base_url }
  const secret = config.secret.toString('base64')
  const linkTokenKeys = stack.env.LINK_TOKEN_KEYS ?? ''
  const programs = servicePrograms(env, {
    home,
    host: '127.0.0.1',
    port,
    metricsPort,
    secret,
    linkTokenKeys,
    endpoints,
  })
  const running = new Set<{ stop(): Promise<void> }>()
  const memory = watchMemory(home)

  const tracked = <Runs extends { stop(): Promise<void> }>(runs: Runs): Runs => {
    const stop = async () => {
      running.delete(entry)
      await runs.stop()
    }
    const entry = { ...runs, stop }
    running.add(entry)
    return entry
  }
  return {
    config,
    env,
    isQuick,
    report,
    signal,
    memory,
    service: async (name) => {
      const program = programs.find((one) => one.name === name)!
      return tracked(await supervise(program, { home, report: () => {}, signal }))
    },
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    program: (file, settings) => tracked(startProgram(file, settings, env)),
    database: () => openDatabase(config.clickhouseUrl),
    live: () => liveDatabase(config),
    stop: async () => {
      memory.stop()
      for (const one of [...running]) await one.stop()
      await stack.stop()
    },
  }
}

function startProgram(file: string, settings: object, env: NodeJS.ProcessEnv): Program {
  const child = fork(join(import.meta.dirname, 'programs', file), [], { env })
  child.send(settings)
  const messages: unknown[] = []
  let wake = () => {}
  let end: string | undefined
  child.on('message', (message) => {
    messages.push(message)
    wake()
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      end = `${file} ended with ${signal ?? `exit code ${code}`}`
      wake()
      resolve()
    })
  })
  return {
    next: async <Message>() => {
      while (messages.length === 0) {
        if (end) throw new Error(end)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return messages.shift() as Message
    },
    send: (message) => void child.send(message),
    stop: async () => {
      if (!end) child.kill('SIGKILL')
      await exited
    },
  }
}

async function openDatabase(url: string): Promise<Database> {
  const name = `bench_${randomUUID().replaceAll('-', '').slice(0, 12)}`
  await migrateClickhouse(url, name)
  const database = connectDatabase(url, name)
  return {
    ...database,
    close: async () => {
      await database.run(`DROP DATABASE ${name}`)
      await database.close()
    },
  }
}

async function liveDatabase({ databaseUrl, clickhouseUrl }: Config): Promise<Database> {
  const pool = connectPostgres(databaseUrl, { max: 1 })
  try {
    return connectDatabase(clickhouseUrl, generationDatabase(await liveGeneration(pool)))
  } finally {
    await pool.end()
  }
}

function connectDatabase(url: string, name: string): Database {
  const warehouse = connectClickhouse({ url, database: () => name, requestTimeoutMs: 600_000 })
  const client = createClient({
    url,
    database: name,
    request_timeout: 600_000,
    log: { level: ClickHouseLogLevel.OFF },
  })
  return {
    name,
    warehouse,
    run: async (query, clickhouse_settings = {}) => void (await client.command({ query, clickhouse_settings })),
    rows: async <Row>(query: string) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>(),
    close: async () => {
      await Promise.all([client.close(), warehouse.close()])
    },
  }
}
