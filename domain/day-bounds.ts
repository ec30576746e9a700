import { dayMs } from './time.ts'

/** The first moment of a day in a time zone; where clocks skip midnight, the first that there is. */
export function dayStart(day: string, timezone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`)
  // The offset may change close by: the second look takes the one that holds there, unless that leads before the day.
  const guess = utc - offsetMs(utc - offsetMs(utc, timezone), timezone)
  const offset = offsetMs(guess, timezone)
  return guess + offset < utc ? utc - offset : guess
}

/** The last millisecond of a day in a time zone. */
export function dayEnd(day: string, timezone: string): number {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
  return dayStart(next, timezone) - 1
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** How far the zone's clocks are ahead of UTC at a moment. */
function offsetMs(at: number, timezone: string): number {
  let format = formats.get(timezone)
  if (!format) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, hourCycle: 'h23', second: 'numeric', ...fields })
    formats.set(timezone, format)
  }
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const shown = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second)
  return shown - Math.floor(at / 1000) * 1000
}
