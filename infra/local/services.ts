import { join } from 'node:path'
import type { Endpoints } from '../config.ts'
import { checkout } from './cache.ts'
import type { Surroundings } from './engine.ts'
import { LaunchError } from './launch-error.ts'
import { runCommand } from './run-command.ts'
import type { Program } from './supervisor.ts'

export interface ServiceSettings {
  home: string
  host: string
  port: number
  metricsPort: number
  secret: string
  linkTokenKeys: string
  endpoints: Endpoints
}

/** What every service, migration and command of this stack reads. */
export function serviceEnvironment(env: NodeJS.ProcessEnv, settings: ServiceSettings): NodeJS.ProcessEnv {
  const { endpoints } = settings
  return {
    ...env,
    TOUCHLINE_HOME: settings.home,
    TOUCHLINE_SECRET: settings.secret,
    LINK_TOKEN_KEYS: settings.linkTokenKeys,
    HOST: settings.host,
    PORT: String(settings.port),
    BASE_URL: endpoints.base_url,
    KAFKA_BROKERS: endpoints.kafka_brokers,
    CLICKHOUSE_URL: endpoints.clickhouse_url,
    DATABASE_URL: endpoints.database_url,
    REDIS_URL: endpoints.redis_url ?? '',
  }
}

export async function migrate({ env, signal }: Surroundings): Promise<void> {
  try {
    await runCommand(process.execPath, [join(checkout, 'cli/main.ts'), 'migrate'], { env, signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw new LaunchError(`The migrations failed: ${(error as Error).message}`)
  }
}

/** Without a limit the garbage of a busy hour stays in memory on a large machine; queues and batches are bounded anyway. */
const memoryLimit = '--max-old-space-size=256'
/**
 * Less than V8's own 64 MB, with which it went through the old objects every fifty lists: 70 ms of both cores, which one call
 * in twenty waited for. With half of this a thousand connections to the collector were slower.
 */
const newObjects = '--max-semi-space-size=32'
/**
 * Under load V8 concludes from the first requests that what waits for an engine is long-lived, and from then on makes such
 * objects among the old ones, where each keeps its whole request in memory until all old objects have been gone through.
 */
const noGuessedAge = '--no-allocation-site-pretenuring'

export function servicePrograms(env: NodeJS.ProcessEnv, settings: ServiceSettings): Program[] {
  const node = process.execPath
  return [
    {
      name: 'processors',
      command: node,
      args: [memoryLimit, join(checkout, 'services/processors.ts')],
      env: { ...env, METRICS_PORT: String(settings.metricsPort) },
      ready: answers(`http://127.0.0.1:${settings.metricsPort}/readyz`),
      graceMs: 30_000,
    },
    {
      name: 'api',
      command: node,
      args: [memoryLimit, newObjects, noGuessedAge, join(checkout, 'services/api.ts')],
      env,
      ready: answers(`http://${reachable(settings.host)}:${settings.port}/readyz`),
      graceMs: 30_000,
    },
  ]
}

/** An address that means "every interface" is reached through the loopback one. */
export const reachable = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)

const answers = (url: string) => async () => {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
}
