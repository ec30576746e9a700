import { accept, type Checked, refuse } from './checked.ts'

export const dayMs = 86_400_000

const tolerableSkewMs = 5_000
const futureLimitMs = 5 * 60_000
const oldestDays = 731
/** What to tell the sender of what happened before that. */
export const tooOld = 'must not be older than two years'

export type TimeReason = 'too_old' | 'invalid_time'

/** The sender's clock error: receipt minus sending, ignored where the network alone explains it. */
export function clockSkew(sentAt: number | null, receivedAt: number): number {
  const skew = sentAt === null ? 0 : receivedAt - sentAt
  return Math.abs(skew) > tolerableSkewMs ? skew : 0
}

/** When it happened by our clock: skew taken out, the future clamped to the receipt, the far past refused. */
export function correctTime(
  eventTime: number,
  receivedAt: number,
  skewMs = 0,
): Checked<{ time: number; isClamped: boolean }, TimeReason> {
  if (!Number.isFinite(eventTime)) return refuse('invalid_time')
  const time = Math.trunc(eventTime + skewMs)
  if (time < receivedAt - oldestDays * dayMs) return refuse('too_old')
  if (time > receivedAt + futureLimitMs) return accept({ time: receivedAt, isClamped: true })
  return accept({ time, isClamped: false })
}

const isoTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Epoch milliseconds from an ISO 8601 text or from epoch milliseconds; a text without a zone is UTC. */
export function parseTime(value: string | number): number | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) && Math.abs(value) < 8.64e15 ? Math.trunc(value) : undefined
  const match = isoTime.exec(value.trim())
  if (!match) return undefined
  const part = (at: number) => Number(match[at] ?? 0)
  const [month, day, hour, minute, second] = [part(2), part(3), part(4), part(5), part(6)]
  const dayStart = Date.UTC(part(1), month - 1, day)
  // The 31st of February would quietly become a day in March.
  if (new Date(dayStart).getUTCDate() !== day || month < 1 || month > 12) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const millis = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  return dayStart + ((hour * 60 + minute) * 60 + second) * 1000 + millis - offsetMs(match[8])
}

function offsetMs(zone: string | undefined): number {
  const match = zone ? /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) : null
  if (!match) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  return (match[1] === '-' ? -minutes : minutes) * 60_000
}

/**
 * Whether a fact told at a time can be of another: twenty years back, two days ahead. Tables are partitioned by quarter,
 * and an insert that touches more than a hundred partitions is refused as a whole.
 */
export const isPlausibleTime = (time: number, toldAt: number): boolean =>
  time >= toldAt - 7305 * dayMs && time <= toldAt + 2 * dayMs
