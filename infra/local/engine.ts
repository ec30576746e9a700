import type { Report } from './progress.ts'
import type { Program } from './supervisor.ts'

export type EngineName = 'kafka' | 'clickhouse' | 'postgres' | 'valkey'
export type AddressVariable = 'KAFKA_BROKERS' | 'CLICKHOUSE_URL' | 'DATABASE_URL' | 'REDIS_URL'

export interface Surroundings {
  env: NodeJS.ProcessEnv
  report: Report
  signal?: AbortSignal | undefined
}

/** Where a local engine lives: its own folder under TOUCHLINE_HOME and the ports claimed for it. */
export interface Place extends Surroundings {
  folder: string
  port: number
  /** Kafka's controller listens on a port of its own. */
  secondPort: number
}

export interface Launch {
  program: Program
  address: string
  /** Done once, after the first start. */
  settle?: () => Promise<void>
}

export interface Engine {
  name: EngineName
  title: string
  variable: AddressVariable
  /** Brings what the engine needs onto the machine; false when it is optional and cannot be had here. */
  fetch: (surroundings: Surroundings) => Promise<boolean>
  /** Prepares the data folder and says how to run the engine on it. */
  prepare: (place: Place) => Promise<Launch>
  /** The version of the engine at an address; rejects when it does not answer. */
  check: (address: string) => Promise<string>
}
