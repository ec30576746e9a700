import { describe, expect, test } from 'vitest'
import { clockSkew, correctTime, isPlausibleTime, parseTime } from '../../domain/time.ts'

const received = Date.UTC(2026, 0, 15, 12)
const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

test.each([
  ['no sent_at, no skew', null, 0],
  ['a delay of 5 s is the network', received - 5 * second, 0],
  ['more than 5 s behind is skew', received - 5 * second - 1, 5 * second + 1],
  ['ahead of us is skew as well', received + 10 * second, -10 * second],
])('%s', (_, sentAt, skew) => {
  expect(clockSkew(sentAt, received)).toBe(skew)
})

describe('an event time by our clock', () => {
  test.each([
    ['stays as sent', received - minute, 0, received - minute, false],
    ['has its skew taken out', received - minute - 10 * second, 10 * second, received - minute, false],
    ['of a fast clock comes back', received + 60 * minute, -60 * minute, received, false],
    ['five minutes ahead stays', received + 5 * minute, 0, received + 5 * minute, false],
    ['further ahead is the receipt, flagged', received + 5 * minute + 1, 0, received, true],
    ['of two years ago is welcome', received - 730 * day, 0, received - 730 * day, false],
    ['loses fractions of a millisecond', received - 0.5, 0, received - 1, false],
  ])('%s', (_, eventTime, skew, time, isClamped) => {
    expect(correctTime(eventTime, received, skew)).toEqual({ ok: true, value: { time, isClamped } })
  })

  test('older than two years is refused', () => {
    expect(correctTime(received - 732 * day, received)).toEqual({ ok: false, reason: 'too_old' })
  })

  test('that is no number is refused', () => {
    expect(correctTime(Number.NaN, received)).toEqual({ ok: false, reason: 'invalid_time' })
  })
})

test.each([
  ['2026-01-15T12:00:00Z', received],
  ['2026-01-15T12:00:00.000Z', received],
  ['2026-01-15T09:00:00-03:00', received],
  ['2026-01-15T09:00:00-0300', received],
  ['2026-01-15 12:00', received],
  ['2026-01-15T12:00:00.1234567Z', received + 123],
  ['2026-01-15', received - 12 * 60 * minute],
  [received, received],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-13-01', undefined],
  ['2026-01-15T25:00:00Z', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [1e300, undefined],
])('%s is read as %s', (value, time) => {
  expect(parseTime(value)).toBe(time)
})

test.each([
  ['now', received, true],
  ['twenty years ago', received - 7305 * day, true],
  ['longer ago', received - 7305 * day - 1, false],
  ['in two days', received + 2 * day, true],
  ['later', received + 2 * day + 1, false],
  ['no number', Number.NaN, false],
  ['beyond all calendars', 8.7e15, false],
])('a fact of %s is plausible: %s', (_when, time, is) => {
  expect(isPlausibleTime(time, received)).toBe(is)
})
