import { type Operations, operations } from './generated.ts'

/** What any operation takes, as the types of each one have checked it. */
export interface AnyInput {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
}

/** All of a request that is the same at every attempt. */
export interface PlainRequest {
  url: URL
  method: string
  headers: Headers
  body?: string
}

interface Frame {
  baseUrl: string
  headers?: Record<string, string>
}

/** Throws a TypeError where the caller's values make no request of this operation. */
export function requestOf(frame: Frame, id: keyof Operations, input: AnyInput): PlainRequest {
  const { method, path, idempotency } = operations[id]
  const headers = new Headers(frame.headers)
  headers.set('accept', 'application/json')
  if (idempotency.endsWith('header') && input.idempotencyKey !== undefined) {
    headers.set('idempotency-key', input.idempotencyKey)
  }
  const url = new URL(fill(path, input.path), originOf(frame.baseUrl))
  addQuery(url, input.query)
  if (input.body === undefined) return { url, method, headers }
  headers.set('content-type', 'application/json')
  return { url, method, headers, body: JSON.stringify(input.body) }
}

function originOf(baseUrl: string): string {
  const { protocol, username, password, origin } = URL.canParse(baseUrl) ? new URL(baseUrl) : ({} as Partial<URL>)
  if (origin !== undefined && /^https?:$/.test(protocol ?? '') && !username && !password) return origin
  throw new TypeError('baseUrl must be an address such as https://touchline.example.')
}

const fill = (path: string, values: Record<string, string | number> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, String(values[name] ?? '')))

/** An address with an empty segment or one of dots is another operation's. */
function segmentOf(name: string, value: string): string {
  if (['', '.', '..'].includes(value)) throw new TypeError(`path.${name} must not be empty, "." or "..".`)
  return encodeURIComponent(value)
}

function addQuery(url: URL, query: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) url.searchParams.append(name, String(one))
    }
  }
}
