import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Prompt } from '../../domain/prompt.ts'
import { defaultTrackingSettings, type TrackingSettings } from '../../domain/tracking-settings.ts'
import { within } from '../within.ts'
import { isLive } from './profile-row.ts'

export interface TrackedProfile {
  id: string
  reportingCurrency: string
  /** Whose pages may send; empty is everybody's. */
  allowedOrigins: readonly string[]
  /** What is kept of where a hit came from. */
  locationDetail: TrackingSettings['location_detail']
}

export type TrackingKeyState =
  | { state: 'active'; profile: TrackedProfile }
  | { state: 'revoked'; profileId: string }
  | { state: 'unknown' }

/** Whose hits a tracking key names; on the collector's hot path. */
export type TrackingKeyLookup = (key: string) => Prompt<TrackingKeyState>

interface Cached {
  answer: TrackingKeyState
  readAt: number
  /** When to ask again. */
  freshUntil: number
}

export interface LookupOptions {
  /** How long a revocation may take to be noticed. */
  freshMs?: number
  /** How long a known key is still taken while Postgres is away. */
  staleMs?: number
  maxKeys?: number
  /** With the vault's, inside the two seconds in which a caller hears that an engine is away. */
  timeoutMs?: number
  clock?: () => number
}

const keyShape = /^[\w-]{1,100}$/

export function trackingKeyLookup(pool: pg.Pool, options: LookupOptions = {}): TrackingKeyLookup {
  const { freshMs = 3_000, staleMs = 300_000, maxKeys = 10_000, timeoutMs = 700, clock = Date.now } = options
  const active = new LRUCache<string, Cached>({ max: maxKeys })
  // Apart, so that a flood of made-up keys pushes no real one out.
  const refused = new LRUCache<string, Cached>({ max: maxKeys })
  const underWay = new Map<string, Promise<TrackingKeyState>>()

  const read = async (key: string): Promise<TrackingKeyState> => {
    const answer = await readKey(pool, key, timeoutMs)
    const [holds, other] = answer.state === 'active' ? [active, refused] : [refused, active]
    holds.set(key, { answer, readAt: clock(), freshUntil: clock() + freshMs })
    other.delete(key)
    return answer
  }

  const readAgain = async (key: string, known: Cached | undefined): Promise<TrackingKeyState> => {
    let reading = underWay.get(key)
    if (!reading) {
      reading = within(timeoutMs, read(key)).finally(() => underWay.delete(key))
      underWay.set(key, reading)
    }
    try {
      return await reading
    } catch (error) {
      const now = clock()
      if (known?.answer.state !== 'active' || now - known.readAt >= staleMs) throw error
      // While Postgres hangs, one request in a while waits for it, not every one.
      known.freshUntil = Math.min(now + freshMs, known.readAt + staleMs)
      return known.answer
    }
  }

  return (key) => {
    if (!keyShape.test(key)) return { state: 'unknown' }
    const known = active.get(key) ?? refused.get(key)
    return known && clock() < known.freshUntil ? known.answer : readAgain(key, known)
  }
}

async function readKey(pool: pg.Pool, key: string, timeoutMs: number): Promise<TrackingKeyState> {
  const { rows } = await pool.query<Row>({
    text: `SELECT k.profile_id, p.reporting_currency, k.revoked_at IS NULL AND ${isLive} AS is_active,
             s.settings
           FROM tracking_keys k JOIN profiles p ON p.id = k.profile_id JOIN workspaces w ON w.id = p.workspace_id
           LEFT JOIN tracking_settings s ON s.profile_id = k.profile_id WHERE k.key = $1`,
    values: [key],
    query_timeout: timeoutMs,
  } as pg.QueryConfig)
  const row = rows[0]
  if (!row) return { state: 'unknown' }
  if (!row.is_active) return { state: 'revoked', profileId: row.profile_id }
  const { allowed_origins, location_detail } = { ...defaultTrackingSettings, ...row.settings }
  return {
    state: 'active',
    profile: {
      id: row.profile_id,
      reportingCurrency: row.reporting_currency,
      allowedOrigins: allowed_origins,
      locationDetail: location_detail,
    },
  }
}

interface Row {
  profile_id: string
  reporting_currency: string
  is_active: boolean
  settings: Partial<TrackingSettings> | null
}
