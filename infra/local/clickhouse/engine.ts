import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseEngineError } from './errors.ts'

export interface EngineResult {
  bytes: Uint8Array
  elapsed: number
  rowsRead: number
  bytesRead: number
}

interface Native {
  CreateConnection(path: string, args: readonly string[]): unknown
  QueryAsyncConnection(connection: unknown, sql: string, format: string): Promise<EngineResult>
  CloseConnection(connection: unknown): void
}

// The package's own Session puts off closing until no query of any session runs: under load none is ever closed, and
// each keeps its last query in the engine. Its addon closes one connection at once.
const require = createRequire(import.meta.url)
const loader = join(dirname(require.resolve('chdb')), 'dist', 'loader.js')
const native: Native = require(loader).loadNative()

export type Session = ReturnType<typeof openSession>

/** One connection to the engine that this process holds open on `path`; it runs one query at a time. */
export function openSession(path: string, args: readonly string[]) {
  const connection = native.CreateConnection(path, args)
  return {
    async run(sql: string, format: string): Promise<EngineResult> {
      try {
        return await native.QueryAsyncConnection(connection, sql, format)
      } catch (error) {
        throw parseEngineError(error)
      }
    },
    /** Only when no query runs on it. */
    close: () => native.CloseConnection(connection),
  }
}
