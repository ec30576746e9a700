import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { errors } from './errors.ts'

/** One call, read from the address and the headers as ClickHouse's HTTP interface reads them. */
export interface QueryRequest {
  queryId: string
  query: string
  database: string
  defaultFormat: string | undefined
  settings: Map<string, string>
  params: Map<string, string>
  isReadOnly: boolean
  waitForEnd: boolean
  acceptEncoding: string
  contentEncoding: string
}

/** URL parameters that are no settings. */
const reserved = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'role',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'stacktrace',
  'buffer_size',
  'wait_end_of_query',
  'compress',
  'decompress',
  'client_protocol_version',
  // A cluster's router and cloud read these; a single server has no use for them.
  'network_compression_method',
])

export function parseRequest(message: IncomingMessage, fields: Iterable<[string, string]> = []): QueryRequest {
  const url = new URL(message.url ?? '/', 'http://localhost')
  const values = new Map([...url.searchParams, ...fields])
  if (isOn(values.get('decompress')) || isOn(values.get('compress'))) {
    throw errors.notImplemented("The native compressed protocol is not supported here: use 'Content-Encoding' instead")
  }
  const settings = new Map<string, string>()
  const params = new Map<string, string>()
  for (const [name, value] of values) {
    if (name.startsWith('param_')) params.set(checkName(name.slice('param_'.length)), value)
    else if (!reserved.has(name)) settings.set(checkSetting(name), value)
  }
  const header = (name: string) => message.headers[name]?.toString()
  return {
    queryId: values.get('query_id') || randomUUID(),
    query: values.get('query') ?? '',
    database: values.get('database') || header('x-clickhouse-database') || 'default',
    defaultFormat: values.get('default_format') || header('x-clickhouse-format'),
    settings,
    params,
    isReadOnly: message.method === 'GET',
    waitForEnd: isOn(values.get('wait_end_of_query')),
    acceptEncoding: isOn(values.get('enable_http_compression')) ? (header('accept-encoding') ?? '') : '',
    contentEncoding: (header('content-encoding') ?? '').trim().toLowerCase(),
  }
}

const isOn = (value: string | undefined) => value === '1' || value === 'true'

function checkSetting(name: string): string {
  if (!/^[A-Za-z_][\w.]*$/.test(name)) throw errors.unknownSetting(name)
  return name
}

function checkName(name: string): string {
  if (!/^\w+$/.test(name)) throw errors.badArguments(`Parameter name '${name}' is not an identifier`)
  return name
}
