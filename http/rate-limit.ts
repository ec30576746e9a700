import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

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

export type RateLimiter = (key: string, limit: number) => Promise<Verdict>

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

export interface Windows {
  take(key: string, limit: number, cost?: number): Verdict
  /** What was counted since the last call, to be told to other instances. */
  tell(): { key: string; index: number; count: number }[]
  /** The count of all instances together, or nothing when telling failed. */
  learn(told: { key: string; index: number; count: number }, total: number | undefined): void
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
    tell() {
      const news: { key: string; index: number; count: number }[] = []
      for (const [key, window] of windows.entries()) {
        if (window.untold === 0) continue
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
  return async (key, limit) => windows.take(key, limit)
}

// Redis's own clock, so that all instances share one minute; count and check in one step.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local index = math.floor(now / ${windowMs})
local elapsed = now % ${windowMs}
local current = tonumber(redis.call('GET', KEYS[1] .. ':' .. index) or '0')
local previous = tonumber(redis.call('GET', KEYS[1] .. ':' .. (index - 1)) or '0')
if math.floor(previous * (1 - elapsed / ${windowMs})) + current < tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[1] .. ':' .. index)
  redis.call('PEXPIRE', KEYS[1] .. ':' .. index, ${2 * windowMs})
end
return {current, previous, elapsed}
`

/** Shared by all instances; while Redis is away each instance counts for itself, and no request fails for it. */
export function redisRateLimiter(redis: Redis, clock: () => number = Date.now): RateLimiter {
  const local = localRateLimiter(clock)
  return async (key, limit) => {
    try {
      const counts = (await redis.eval(script, 1, `touchline:rate:{${key}}`, limit)) as number[]
      const [current = 0, previous = 0, elapsed = 0] = counts
      return judge(limit, current, previous, elapsed)
    } catch {
      return local(key, limit)
    }
  }
}

/** Tells the other instances what was counted here and learns what they have counted: all of them, in one round trip. */
export async function exchangeCounts(windows: Windows, redis: Redis, name: string): Promise<void> {
  const news = windows.tell()
  if (news.length === 0) return
  const commands = redis.pipeline()
  for (const { key, index, count } of news) {
    const counter = `touchline:rate:${name}:{${key}}:${index}`
    commands.incrby(counter, count).pexpire(counter, 2 * windowMs)
  }
  const answers = await commands.exec().catch(() => null)
  for (const [at, told] of news.entries()) {
    const [error, total] = answers?.[2 * at] ?? [new Error('no answer')]
    windows.learn(told, error ? undefined : Number(total))
  }
}
