import { LRUCache } from 'lru-cache'
import type { Prompt } from '../domain/prompt.ts'
import { EngineUnavailable } from '../infra/unavailable.ts'
import { engineFailure } from './engine-failure.ts'

// Well inside the two seconds after which whatever was revoked must be dead everywhere.
const cacheMs = 1000
const cacheSize = 10_000
const lookupLimitMs = 1500

/** Reads from Postgres, each at most once a second, key and process; calls that come meanwhile share the one read. */
export function briefly<T>(load: (key: string) => Promise<T>, clock: () => number = Date.now) {
  const cache = new LRUCache<string, { value: Prompt<T>; until: number }>({ max: cacheSize })
  return (key: string): Prompt<T> => {
    const now = clock()
    const cached = cache.get(key)
    if (cached && cached.until > now) return cached.value
    const value = withinLimit(load(key))
    const entry: { value: Prompt<T>; until: number } = { value, until: now + cacheMs }
    cache.set(key, entry)
    value.then(
      (read) => {
        entry.value = read
      },
      () => cache.peek(key) === entry && cache.delete(key),
    )
    return value
  }
}

const usedAgainMs = 60_000

/** Nobody waits for the mark, and a lost one only makes the date a minute older. */
export function markUsed(lastUsedAt: Date | null, now: number, mark: () => Promise<void>): void {
  if (!lastUsedAt || now - lastUsedAt.getTime() >= usedAgainMs) mark().catch(() => {})
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineUnavailable('postgres')), lookupLimitMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (cause) {
    throw engineFailure(cause) ? new EngineUnavailable('postgres', { cause }) : cause
  } finally {
    clearTimeout(timer)
  }
}
