import type { Redis } from 'ioredis'

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
  const resetMs = isAllowed ? windowMs - elapsedMs : waitMs(limit, current, previous, elapsedMs)
  return {
    isAllowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetInSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  }
}

function waitMs(limit: number, current: number, previous: number, elapsedMs: number): number {
  if (current < limit) return windowMs * (1 - (limit - current) / previous) - elapsedMs
  // This minute is used up: in the next one it is the last, and must fade until one place is free.
  return windowMs - elapsedMs + windowMs * (1 - limit / current)
}

interface Window {
  index: number
  current: number
  previous: number
}

export function localRateLimiter(clock: () => number = Date.now): RateLimiter {
  const windows = new Map<string, Window>()
  let sweptAt = 0
  return async (key, limit) => {
    const now = clock()
    const index = Math.floor(now / windowMs)
    if (index !== sweptAt) {
      for (const [name, { index: last }] of windows) if (last < index - 1) windows.delete(name)
      sweptAt = index
    }
    const seen = windows.get(key)
    const window: Window =
      seen?.index === index ? seen : { index, current: 0, previous: seen?.index === index - 1 ? seen.current : 0 }
    const verdict = judge(limit, window.current, window.previous, now % windowMs)
    if (verdict.isAllowed) window.current++
    windows.set(key, window)
    return verdict
  }
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
