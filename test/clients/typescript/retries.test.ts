import { describe, expect, it, test } from 'vitest'
import { TouchlineError, TouchlineUnreachable } from '../../../clients/typescript/src/errors.ts'
import { pauseBefore, retryAfterOf } from '../../../clients/typescript/src/retries.ts'

const options = { maxRetries: 3, maxWaitMs: 10_000 }
const refused = (status: number, code = 'x', retryAfter?: number) =>
  new TouchlineError(status, { error: { code } }, retryAfter)
const lost = new TouchlineUnreachable(new Error('reset'))
const half = () => 0.5

describe('a failed attempt is followed by another', () => {
  test.each([
    ['429, whatever the request', refused(429), false, true],
    ['503 of a request that may be repeated', refused(503), true, true],
    ['503 of one that may not', refused(503), false, false],
    ['a lost connection of one that may', lost, true, true],
    ['a lost connection of one that may not', lost, false, false],
    ['a key that is in flight', refused(409, 'idempotency_key_in_flight'), true, true],
    ['another conflict', refused(409, 'invalid_state'), true, false],
    ['a mistake of the caller', refused(422, 'validation_error'), true, false],
    ['what is not there', refused(501, 'not_implemented'), true, false],
    ['what is switched off', refused(503, 'link_tokens_disabled'), true, false],
  ])('%s', (_what, error, isRepeatable, isTried) => {
    expect(pauseBefore(1, error, isRepeatable, options) !== undefined).toBe(isTried)
  })
})

it('waits as long as it is asked to and a little more, longer each time, and never beyond its bounds', () => {
  expect(pauseBefore(1, refused(429, 'x', 2), false, options, half)).toBe(2_125)
  expect([1, 2, 3, 4].map((attempt) => pauseBefore(attempt, lost, true, options, half))).toEqual([
    125,
    250,
    500,
    undefined,
  ])
  expect(pauseBefore(1, refused(429, 'x', 11), false, options)).toBeUndefined()
  expect(pauseBefore(20, lost, true, { maxRetries: 99, maxWaitMs: 60_000 }, () => 1)).toBe(8_000)
})

test.each([
  [null, undefined],
  ['', undefined],
  ['soon', undefined],
  ['7', 7],
  ['0', 0],
  ['Fri, 02 Oct 2026 10:00:30 GMT', 30],
  ['Fri, 02 Oct 2026 09:00:00 GMT', 0],
])('Retry-After %j', (header, seconds) => {
  expect(retryAfterOf(header, Date.parse('2026-10-02T10:00:00Z'))).toBe(seconds)
})
