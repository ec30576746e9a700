import { dayMs } from '../time.ts'

export const scoreWindows = ['7d', '14d', '28d', 'lifetime'] as const
export type ScoreWindow = (typeof scoreWindows)[number]

const lengthInDays: Record<ScoreWindow, number | null> = { '7d': 7, '14d': 14, '28d': 28, lifetime: null }

/** Platforms close a day some hours after it ends; it is scored from this hour on. */
const dayClosesAtHour = 4
/** Before any fact, and far enough from 1970, where the warehouse's days begin. */
const beginning = '2000-01-01'

/** The newest day that is scored at this time: the last one that is over, in the profile's time zone. */
export function lastClosedDay(now: number, timezone: string): string {
  const local = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now - dayClosesAtHour * 3_600_000)
  return shiftDay(local, -1)
}

/** The days of a window that ends with this day, both inclusive. */
export function windowDays(window: ScoreWindow, through: string): { from: string; to: string } {
  const days = lengthInDays[window]
  return { from: days === null ? beginning : shiftDay(through, 1 - days), to: through }
}

const shiftDay = (day: string, by: number) => new Date(Date.parse(day) + by * dayMs).toISOString().slice(0, 10)
