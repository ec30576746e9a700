import { engineFailure } from '../http/engine-failure.ts'
import { loadConfig } from '../infra/config.ts'

/** A mistake of the person at the terminal: its message is all that is printed. */
export class UsageError extends Error {}

/** Whether Postgres answered, but lacks the tables. */
export const isUnmigrated = (error: unknown): boolean => (error as { code?: unknown }).code === '42P01'
export const unmigrated = 'the database has no tables yet: run "touchline migrate".'

const titles = { kafka: 'Kafka', clickhouse: 'ClickHouse', postgres: 'Postgres', redis: 'Redis' }

/** The sentence that whoever called needs; undefined for what only a programmer can mend. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message
  if (isUnmigrated(error)) return unmigrated
  const engine = absentEngine(error)
  return engine && `${engine} does not answer: run "touchline doctor".`
}

/** The name of the engine that is away, if that is what the error means. */
export function absentEngine(error: unknown): string | undefined {
  const engine = engineFailure(error)
  if (engine !== 'engine') return engine && titles[engine]
  const port = portIn(error)
  return (port !== undefined && engineAt(port)) || 'An engine'
}

/** Drivers say where nobody answered, not who was expected there. */
function engineAt(port: number): string | undefined {
  const { kafkaBrokers, clickhouseUrl, databaseUrl } = loadConfig()
  const portOf = (url: string, standard: number) => Number(new URL(url).port) || standard
  if (kafkaBrokers.some((broker) => broker.endsWith(`:${port}`))) return titles.kafka
  if (portOf(clickhouseUrl, clickhouseUrl.startsWith('https:') ? 443 : 80) === port) return titles.clickhouse
  return portOf(databaseUrl, 5432) === port ? titles.postgres : undefined
}

function portIn(error: unknown, depth = 0): number | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  if ('port' in error && typeof error.port === 'number') return error.port
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [error.cause]
  return inner.map((cause) => portIn(cause, depth + 1)).find((port) => port !== undefined)
}
