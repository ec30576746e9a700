import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { type Prompt, whenThere } from '../domain/prompt.ts'
import { gather } from '../postgres/gather.ts'

/** A class has a budget of its own: the credential's limit per minute, times the class's factor. */
export const rateLimitClasses = { default: 1, events: 20 } as const
export type RateLimitClass = keyof typeof rateLimitClasses

export interface Verdict {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Seconds until a refused caller gets a place, or until the present window ends. */
  resetInSeconds: number
}

export type RateLimiter = (key: string, limit: number) => Prompt<Verdict>

/** What a refused caller is told of the limit. */
export const limitHeaders = ({ limit, remaining, resetInSeconds }: Verdict): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + resetInSeconds),
})

/** A part of a key that is an address or an e-mail: neither is kept readable, not even for a minute. */
export const veiled = (text: string): string => createHash('sha256').update(text).digest('base64url')

const windowMs = 60_000

/**
 * Requests of this minute, plus the share of the last minute that a sliding window still covers: never more than
 * the limit in a minute that starts empty, and no double burst around the turn of a minute. Refusals do not count.
 */
function judge(limit: number, current: number, previous: number, elapsedMs: number): Verdict {
  const carried = previous * (1 - elapsedMs / windowMs)
  const isAllowed = Math.floor(carried) + current < limit
  const used = Math.floor(carried) + current + (isAllowed ? 1 : 0)
  const resetMs = isAllowed ? windowMs - elapsedMs : waitMs(limit, current, previous, elapsedMs) + 1
  return {
    isAllowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetInSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  }
}

/** Until what is carried is exactly the limit; a moment later there is a place. */
function waitMs(limit: number, current: number, previous: number, elapsedMs: number): number {
  if (current < limit) return windowMs * (1 - (limit - current) / previous) - elapsedMs
  // This minute is used up: in the next one it is the last, and must fade until one place is free.
  return windowMs - elapsedMs + windowMs * (1 - limit / current)
}

interface Window {
  index: number
  current: number
  previous: number
  /** What other instances have not been told. */
  untold: number
}

/** What an instance counted of a key in one minute. */
export interface Told {
  key: string
  index: number
  count: number
}

export interface Windows {
  take(key: string, limit: number, cost?: number): Verdict
  /** What was counted since the last call, to be told to other instances: of keys with at least so much this minute. */
  tell(atLeast?: number): Told[]
  /** The count of all instances together, or nothing when telling failed. */
  learn(told: Told, total: number | undefined): void
}

/** Counts of this process. Beyond `maxKeys` the longest silent key is forgotten, so that a flood cannot fill the memory. */
export function slidingWindows(clock: () => number = Date.now, maxKeys = 100_000): Windows {
  const windows = new LRUCache<string, Window>({ max: maxKeys })
  return {
    take(key, limit, cost = 1) {
      const now = clock()
      const index = Math.floor(now / windowMs)
      let window = windows.get(key)
      if (window?.index !== index) {
        const previous = window?.index === index - 1 ? window.current : 0
        window = { index, current: 0, previous, untold: 0 }
        windows.set(key, window)
      }
      const verdict = judge(limit, window.current, window.previous, now % windowMs)
      if (verdict.isAllowed) {
        window.current += cost
        window.untold += cost
      }
      return verdict
    },
    tell(atLeast = 0) {
      const news: Told[] = []
      for (const [key, window] of windows.entries()) {
        if (window.untold === 0 || window.current < atLeast) continue
        news.push({ key, index: window.index, count: window.untold })
        window.untold = 0
      }
      return news
    },
    learn({ key, index, count }, total) {
      const window = windows.peek(key)
      if (window?.index === index) {
        if (total === undefined) window.untold += count
        else window.current = total + window.untold
      } else if (window?.index === index + 1 && total !== undefined) window.previous = total
    },
  }
}

export function localRateLimiter(clock: () => number = Date.now): RateLimiter {
  const windows = slidingWindows(clock)
  return (key, limit) => windows.take(key, limit)
}

// Redis's own clock, so that all instances share one minute; count and check in one step, for several requests at once.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local index = math.floor(now / ${windowMs})
local elapsed = now % ${windowMs}
local current = tonumber(redis.call('GET', KEYS[1] .. ':' .. index) or '0')
local previous = tonumber(redis.call('GET', KEYS[1] .. ':' .. (index - 1)) or '0')
local free = tonumber(ARGV[1]) - math.floor(previous * (1 - elapsed / ${windowMs})) - current
local taken = math.min(tonumber(ARGV[2]), free)
if taken > 0 then
  redis.call('INCRBY', KEYS[1] .. ':' .. index, taken)
  redis.call('PEXPIRE', KEYS[1] .. ':' .. index, ${2 * windowMs})
end
return {current, previous, elapsed}
`

interface Ask {
  key: string
  limit: number
}

/**
 * Shared by all instances; while Redis is away each instance counts for itself, and no request fails for it. Requests
 * that come while others wait for Redis share the next round trip: one each would cost more than the request.
 */
export function redisRateLimiter(redis: Redis, clock: () => number = Date.now): RateLimiter {
  const local = localRateLimiter(clock)
  redis.defineCommand('takePlaces', { numberOfKeys: 1, lua: script })
  const { takePlaces } = redis as unknown as {
    takePlaces(counter: string, limit: number, asked: number): Promise<number[]>
  }

  const take = async (asks: Ask[], verdicts: Map<Ask, Verdict>) => {
    const [{ key, limit }] = asks as [Ask]
    const counts = await takePlaces.call(redis, `touchline:rate:{${key}}`, limit, asks.length)
    const [current = 0, previous = 0, elapsed = 0] = counts
    let taken = 0
    for (const ask of asks) {
      const verdict = judge(limit, current + taken, previous, elapsed)
      if (verdict.isAllowed) taken++
      verdicts.set(ask, verdict)
    }
  }
  const takeAll = gather(
    async (asks: Ask[]) => {
      const verdicts = new Map<Ask, Verdict>()
      const groups = Map.groupBy(asks, ({ key, limit }) => `${limit} ${key}`)
      await Promise.allSettled([...groups.values()].map((group) => take(group, verdicts)))
      return verdicts
    },
    { waitMs: 0 },
  )
  return (key, limit) => {
    const ask = { key, limit }
    return whenThere(takeAll([ask]), (verdicts) => verdicts.get(ask) ?? local(key, limit))
  }
}

/** Tells what was counted here to whoever adds it up, and learns the totals; those that are not known stay untold. */
export async function exchangeVia(
  windows: Windows,
  addUp: (news: Told[]) => Promise<readonly (number | undefined)[]>,
  atLeast?: number,
): Promise<void> {
  const news = windows.tell(atLeast)
  if (news.length === 0) return
  const totals = await addUp(news)
  for (const [at, told] of news.entries()) windows.learn(told, totals[at])
}

/** Adds up what several processes count, in the memory of one: this minute and the last. */
export function commonCounts(clock: () => number = Date.now): (news: Told[]) => number[] {
  const minutes = new Map<number, Map<string, number>>()
  return (news) => {
    const oldest = Math.floor(clock() / windowMs) - 1
    for (const index of minutes.keys()) if (index < oldest) minutes.delete(index)
    return news.map(({ key, index, count }) => {
      const totals = minutes.get(index) ?? new Map<string, number>()
      minutes.set(index, totals)
      const total = (totals.get(key) ?? 0) + count
      totals.set(key, total)
      return total
    })
  }
}

/** Tells the other instances what was counted here and learns what they have counted: all of them, in one round trip. */
export const exchangeCounts = (windows: Windows, redis: Redis, name: string): Promise<void> =>
  exchangeVia(windows, (news) => addUpInRedis(news, redis, name))

async function addUpInRedis(news: Told[], redis: Redis, name: string): Promise<(number | undefined)[]> {
  const commands = redis.pipeline()
  for (const { key, index, count } of news) {
    const counter = `touchline:rate:${name}:{${key}}:${index}`
    commands.incrby(counter, count).pexpire(counter, 2 * windowMs)
  }
  const answers = await commands.exec().catch(() => null)
  return news.map((_, at) => {
    const [error, total] = answers?.[2 * at] ?? [new Error('no answer')]
    return error ? undefined : Number(total)
  })
}
