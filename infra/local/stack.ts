import { join, resolve } from 'node:path'
import type { Endpoints } from '../config.ts'
import { clickhouse } from './clickhouse.ts'
import type { Engine, EngineName, Place } from './engine.ts'
import { leaveHome, logged, obtainLinkTokenKeys, obtainSecret, takeHome, writeEndpoints } from './home.ts'
import { kafka } from './kafka.ts'
import { LaunchError } from './launch-error.ts'
import { claimPorts, isFree } from './ports.ts'
import { postgres } from './postgres.ts'
import { type Report, seconds } from './progress.ts'
import { migrate, reachable, serviceEnvironment, servicePrograms } from './services.ts'
import { type Supervised, supervise } from './supervisor.ts'
import { valkey } from './valkey.ts'

export const engines: Engine[] = [postgres, kafka, clickhouse, valkey]

export interface StackOptions {
  home: string
  host?: string
  /** Where the API listens; 0 picks a free port, the same again at the next start. */
  port: number
  /** False starts the engines alone. */
  services: boolean
  env: NodeJS.ProcessEnv
  report?: Report
  /** Aborts a start; what was started by then is stopped. */
  signal?: AbortSignal
}

export interface Stack {
  endpoints: Endpoints
  /** What a service or a command needs in its environment to use this stack. */
  env: NodeJS.ProcessEnv
  /** Stops what was started here, in reverse order, and nothing else. */
  stop: () => Promise<void>
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const { env, signal, host = '127.0.0.1' } = options
  const home = resolve(options.home)
  const report = logged(home, options.report ?? (() => {}))
  await takeHome(home, report)
  const running: Supervised[] = []
  const stop = async () => {
    for (const { stop: stopOne } of running.splice(0).toReversed()) await stopOne()
    leaveHome(home)
  }
  try {
    const names = ['kafka', 'kafka-controller', 'clickhouse', 'postgres', 'valkey', 'processors', 'api'] as const
    const ports = await claimPorts(home, names)
    const port = options.port || ports.api
    if (options.services && !(await isFree(port, host))) {
      throw new LaunchError(`Port ${port} is in use by another program: set PORT to a free one.`)
    }
    const place = (name: EngineName): Place => ({
      env,
      report,
      signal,
      folder: join(home, name),
      port: ports[name],
      secondPort: ports['kafka-controller'],
    })
    const addresses = await startEngines(place, home, running)
    const endpoints: Endpoints = {
      base_url: (env.BASE_URL || `http://${reachable(host)}:${port}`).replace(/\/$/, ''),
      clickhouse_url: required(addresses, 'clickhouse'),
      database_url: required(addresses, 'postgres'),
      kafka_brokers: required(addresses, 'kafka'),
      redis_url: addresses.get('valkey') ?? null,
    }
    const secrets = { secret: obtainSecret(home, env), linkTokenKeys: obtainLinkTokenKeys(home, env) }
    const settings = { home, host, port, metricsPort: ports.processors, ...secrets, endpoints }
    const serviceEnv = serviceEnvironment(env, settings)
    if (options.services) {
      const began = Date.now()
      await migrate({ env: serviceEnv, report, signal })
      report(`migrations applied (${seconds(began)})`)
      for (const program of servicePrograms(serviceEnv, settings)) {
        const started = Date.now()
        running.push(await supervise(program, { home, report, signal }))
        report(`${program.name} is ready (${seconds(started)})`)
      }
    }
    writeEndpoints(home, endpoints)
    return { endpoints, env: serviceEnv, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Engines whose address is set are used as they are, the others start side by side. */
async function startEngines(place: (name: EngineName) => Place, home: string, running: Supervised[]) {
  const addresses = new Map<EngineName, string>()
  const failed = new AbortController()
  const starts = engines.map(async (engine) => {
    const at = place(engine.name)
    at.signal = at.signal ? AbortSignal.any([at.signal, failed.signal]) : failed.signal
    const given = at.env[engine.variable]
    const address = given ? await useGiven(engine, given, at) : await startOwn(engine, at, home, running)
    if (address) addresses.set(engine.name, address)
  })
  // One that fails ends the start of the others; the first failure is the one to tell.
  for (const start of starts) start.catch((error: unknown) => failed.abort(error))
  await Promise.allSettled(starts)
  if (failed.signal.aborted) throw failed.signal.reason
  return addresses
}

async function useGiven(engine: Engine, address: string, { report }: Place): Promise<string> {
  try {
    const version = await engine.check(address)
    report(`${engine.name} is the one at ${engine.variable} (${version})`)
    return address
  } catch (error) {
    throw new LaunchError(
      `The ${engine.title} at ${engine.variable} does not answer (${(error as Error).message}): ` +
        `start it, correct ${engine.variable}, or unset it to have one started here.`,
    )
  }
}

async function startOwn(engine: Engine, place: Place, home: string, running: Supervised[]) {
  if (!(await engine.fetch(place))) return undefined
  const began = Date.now()
  const launch = await engine.prepare(place)
  const supervised = await supervise(launch.program, { home, report: place.report, signal: place.signal })
  running.push(supervised)
  await launch.settle?.()
  place.report(`${engine.name} is ready on port ${place.port} (${seconds(began)})`)
  return launch.address
}

function required(addresses: Map<EngineName, string>, name: EngineName): string {
  const address = addresses.get(name)
  if (!address) throw new LaunchError(`${name} could not be started here and is needed.`)
  return address
}
