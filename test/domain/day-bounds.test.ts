import { expect, test } from 'vitest'
import { dayEnd, dayStart } from '../../domain/day-bounds.ts'

test.each([
  ['2026-03-01', 'UTC', '2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z'],
  ['2026-01-15', 'America/Santiago', '2026-01-15T03:00:00.000Z', '2026-01-16T02:59:59.999Z'],
  ['2026-10-25', 'Europe/Madrid', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
  ['2026-03-29', 'Europe/Madrid', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
  // Chile's clocks go from 24:00 to 1:00 here: the day starts at what is left of it.
  ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z', '2026-09-07T02:59:59.999Z'],
  ['2026-05-01', 'Pacific/Kiritimati', '2026-04-30T10:00:00.000Z', '2026-05-01T09:59:59.999Z'],
])('%s in %s', (day, zone, first, last) => {
  expect([dayStart(day, zone), dayEnd(day, zone)].map((at) => new Date(at).toISOString())).toEqual([first, last])
})
