export type Engine = 'kafka' | 'clickhouse' | 'postgres' | 'redis'

/** An engine cannot be reached or did not answer in time: the caller may try again later. */
export class EngineUnavailable extends Error {
  readonly engine: Engine

  constructor(engine: Engine, options?: ErrorOptions) {
    super(`${engine} is not available`, options)
    this.name = 'EngineUnavailable'
    this.engine = engine
  }
}
