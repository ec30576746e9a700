import { LRUCache } from 'lru-cache'
import type pg from 'pg'

/** Tells that a hit with the key was accepted; nobody waits for it to be written down. */
export type TrackingKeySightings = (key: string) => void

export interface SightingOptions {
  /** How exact the time of the last hit is; one statement a key in so long is what it costs. */
  everyMs?: number
  maxKeys?: number
  timeoutMs?: number
  clock?: () => number
}

/** Diagnostics only: while Postgres is away the sightings are lost, and a later hit is seen again. */
export function trackingKeySightings(pool: pg.Pool, options: SightingOptions = {}): TrackingKeySightings {
  const { everyMs = 60_000, maxKeys = 10_000, timeoutMs = 700, clock = Date.now } = options
  const markedAt = new LRUCache<string, number>({ max: maxKeys })
  return (key) => {
    const now = clock()
    const last = markedAt.get(key)
    if (last !== undefined && now - last < everyMs) return
    markedAt.set(key, now)
    markSeen(pool, { key, everyMs, timeoutMs }).catch(() => {})
  }
}

/** Not again where another collector has just done so. */
async function markSeen(
  pool: pg.Pool,
  { key, everyMs, timeoutMs }: { key: string; everyMs: number; timeoutMs: number },
) {
  await pool.query({
    text: `UPDATE tracking_keys SET last_seen_at = now()
           WHERE key = $1 AND revoked_at IS NULL
             AND (last_seen_at IS NULL OR last_seen_at < now() - make_interval(secs => $2))`,
    // Half as long: at the full time our own last mark, which took its way, would stand against the next one.
    values: [key, everyMs / 2000],
    query_timeout: timeoutMs,
  } as pg.QueryConfig)
}
