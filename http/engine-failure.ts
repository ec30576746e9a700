import { type Engine, EngineUnavailable } from '../infra/unavailable.ts'

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
])
// Shutting down, starting up, out of connections, a statement that ran out of time, a connection lost half-way.
const postgresStates = /^(08...|57P0[1-5]|53300|57014|25P03)$/
// Out of time, too many queries at once, network, memory limit: all of them pass.
const clickhouseCodes = new Set(['159', '202', '209', '210', '241', '425'])
const driverMessages =
  /^(timeout exceeded when trying to connect|connection terminated|query read timeout|timeout error|connection is closed|socket hang up|cannot use a pool after calling end|client has encountered a connection error)/i
const driverNames = new Set(['MaxRetriesPerRequestError', 'ConnectionTimeoutError'])

/** Which engine failed, when an error means "away or too slow", so that the caller hears 503 and tries again. */
export function engineFailure(error: unknown, depth = 0): Engine | 'engine' | undefined {
  if (error instanceof EngineUnavailable) return error.engine
  if (!(error instanceof Error) || depth > 4) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (error.name === 'ClickHouseError' || error.constructor.name === 'ClickHouseError') {
    return clickhouseCodes.has(code) ? 'clickhouse' : undefined
  }
  if (postgresStates.test(code)) return 'postgres'
  const isAway = (networkCodes.has(code) && 'syscall' in error) || code.startsWith('UND_ERR_')
  if (isAway || driverNames.has(error.name) || driverMessages.test(error.message)) return 'engine'
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  return inner.map((cause) => engineFailure(cause, depth + 1)).find((engine) => engine !== undefined)
}
