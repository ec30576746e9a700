import { hash, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Redis } from 'ioredis'
import { ApiError } from '../http/errors.ts'
import {
  exchangeCounts,
  exchangeVia,
  limitHeaders,
  slidingWindows,
  type Told,
  type Verdict,
} from '../http/rate-limit.ts'
import type { IsListed } from '../infra/address-list.ts'

export interface CollectLimits {
  /** Throws 429 when the sender has no place left. Before the body is read. */
  admitAddress(address: string): void
  admitKey(trackingKey: string, hits: number): void
  stop(): void
}

export interface LimitOptions {
  /** Hits a minute; 0 is no limit. */
  perKey: number
  /** Requests a minute; 0 is no limit. */
  perAddress: number
  isTrustedProxy: IsListed
  /** Where instances tell each other their counts; without it each counts for itself. */
  redis?: Redis | undefined
  /** How the processes of one service count a sender together; without it each counts for itself. */
  addresses?: { salt: string; exchange: (news: Told[]) => Promise<readonly (number | undefined)[]> } | undefined
  exchangeMs?: number
  clock?: () => number
}

export function collectLimits(options: LimitOptions): CollectLimits {
  const { perKey, perAddress, isTrustedProxy, redis, exchangeMs = 1000, clock = Date.now } = options
  const { addresses: together } = options
  const salt = together?.salt ?? randomBytes(16).toString('hex')
  const addresses = slidingWindows(clock)
  const keys = slidingWindows(clock)
  // A round trip for every hit would cost more than the hit.
  const timer = setInterval(() => {
    if (redis) void exchangeCounts(keys, redis, 'collect')
    // Nearly all senders are far from the limit, and nobody has to hear of them.
    if (together) void exchangeVia(addresses, together.exchange, perAddress / 10)
  }, exchangeMs)
  timer.unref()
  return {
    admitAddress(address) {
      // A proxy of ours that names no client stands for many.
      if (perAddress === 0 || isTrustedProxy(address)) return
      refuseIfFull(addresses.take(hash('sha256', salt + networkOf(address)), perAddress), 'address_limit', 'requests')
    },
    admitKey(trackingKey, hits) {
      if (perKey === 0) return
      refuseIfFull(keys.take(trackingKey, perKey, hits), 'tracking_key_limit', 'hits')
    },
    stop: () => clearInterval(timer),
  }
}

/** An IPv6 customer holds at least the 64 bits of a network: single addresses in it cost nothing. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const end = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - groups.length - end.length
  return [...groups, ...Array(zeros).fill('0'), ...end].slice(0, 4).join(':')
}

function refuseIfFull(verdict: Verdict, reason: string, what: string) {
  if (verdict.isAllowed) return
  const extras = { reason, retry_after: verdict.resetInSeconds }
  const message = `At most ${verdict.limit} ${what} a minute are possible.`
  throw new ApiError('rate_limit_exceeded', message, extras, { headers: limitHeaders(verdict) })
}
