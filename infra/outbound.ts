import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent } from 'undici'
import type { IsListed } from './address-list.ts'
import { isPublicUnicast } from './public-address.ts'

/** Why an address that a caller chose gave no answer; the caller is told no more than this. */
export type OutboundReason =
  | 'invalid_url'
  | 'name_not_found'
  | 'address_not_public'
  | 'timed_out'
  | 'too_large'
  | 'tls_failed'
  | 'unreachable'

export class OutboundError extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, options: { cause?: unknown } = {}) {
    super(`The outbound call failed: ${reason}.`, options)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

export interface OutboundRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Buffer
  /** For the whole call: name, connection, request and answer. */
  timeoutMs?: number
  maxBytes?: number
  /** What a longer answer is: a failure, or as much of it as fits. */
  whenLarger?: 'fail' | 'cut'
  signal?: AbortSignal
}

export interface OutboundAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  isCut: boolean
}

/** Calls to addresses that somebody outside chose. A redirect is an answer like any other, never followed. */
export interface Outbound {
  send(url: string | URL, request?: OutboundRequest): Promise<OutboundAnswer>
  close(): Promise<void>
}

export interface OutboundOptions {
  /** Addresses that are called although they are not public: a private network, the loopback of a test. */
  isAllowed?: IsListed
  /** Name servers, `address[:port]`; the system's unless said otherwise. */
  dnsServers?: readonly string[] | undefined
  connections?: number
}

export function connectOutbound({ isAllowed = () => false, dnsServers, connections }: OutboundOptions = {}): Outbound {
  const isReachable = (address: string) => isPublicUnicast(address) || isAllowed(address)
  const agent = new Agent({
    connect: { lookup: guardedLookup(isReachable, dnsServers), timeout: 5_000 },
    connections: connections ?? 16,
    keepAliveTimeout: 1_000,
    maxHeaderSize: 16 * 1024,
  })
  return {
    async send(target, request = {}) {
      const { method = 'GET', headers = {}, body = null, timeoutMs = 10_000, signal } = request
      const url = usableUrl(target)
      // A connection to an address in digits looks no name up, so it is judged here.
      const address = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(address) && !isReachable(address)) throw new OutboundError('address_not_public')
      const deadline = AbortSignal.timeout(timeoutMs)
      try {
        const answer = await agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers: { 'user-agent': 'Touchline/1', ...headers },
          body,
          signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
        })
        return { status: answer.statusCode, headers: answer.headers, ...(await read(answer.body, request)) }
      } catch (error) {
        throw error instanceof OutboundError ? error : new OutboundError(reasonOf(error, deadline), { cause: error })
      }
    },
    close: () => agent.destroy(),
  }
}

function usableUrl(target: string | URL): URL {
  const url = URL.parse(String(target))
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) throw new OutboundError('invalid_url')
  return url
}

async function read(stream: AsyncIterable<Buffer> & { destroy(): void }, request: OutboundRequest) {
  const { maxBytes = 1024 * 1024, whenLarger = 'fail' } = request
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const room = maxBytes - size
    if (chunk.length > room) {
      stream.destroy()
      if (whenLarger === 'fail') throw new OutboundError('too_large')
      chunks.push(chunk.subarray(0, room))
      return { body: Buffer.concat(chunks), isCut: true }
    }
    chunks.push(chunk)
    size += chunk.length
  }
  return { body: Buffer.concat(chunks), isCut: false }
}

/** Runs inside the connector: what it lets through is what is connected to, so a second answer changes nothing. */
function guardedLookup(isReachable: (address: string) => boolean, dnsServers: readonly string[] | undefined) {
  const resolve = dnsServers ? resolveWith(dnsServers) : resolveBySystem
  const lookup: LookupFunction = (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (found) => {
        const wanted = family === 4 || family === 6 ? found.filter((one) => one.family === family) : found
        const reachable = wanted.filter(({ address }) => isReachable(address))
        const [first] = reachable
        if (!first) callback(new OutboundError(wanted.length > 0 ? 'address_not_public' : 'name_not_found'), '', 0)
        else if (all) callback(null, reachable)
        else callback(null, first.address, first.family)
      },
      () => callback(new OutboundError('name_not_found'), '', 0),
    )
  }
  return lookup
}

const resolveBySystem = (hostname: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found)))
  })

function resolveWith(servers: readonly string[]) {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers(servers)
  return async (hostname: string): Promise<LookupAddress[]> => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
  }
}

function reasonOf(error: unknown, deadline: AbortSignal): OutboundReason {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof OutboundError) return at.reason
    if (at instanceof AggregateError && at.errors[0] instanceof OutboundError) return at.errors[0].reason
    const code = (at as { code?: string }).code ?? ''
    if (/TIMEOUT/.test(code)) return 'timed_out'
    if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) return 'tls_failed'
  }
  return deadline.aborted ? 'timed_out' : 'unreachable'
}
