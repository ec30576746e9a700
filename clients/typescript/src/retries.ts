import { TouchlineError } from './errors.ts'

export interface RetryOptions {
  /** Attempts after the first; 0 for none. */
  maxRetries: number
  /** A longer Retry-After is the caller's to wait for. */
  maxWaitMs: number
}

const firstPauseMs = 250
const longestPauseMs = 8_000

/** Refused before anything was done, so that any request may be sent again. */
const isUntouched = (error: unknown) => error instanceof TouchlineError && error.status === 429

/** Might succeed later, if it does no harm twice. */
const isPassing = (error: unknown) =>
  !(error instanceof TouchlineError) || error.status >= 500 || error.code === 'idempotency_key_in_flight'

/** Milliseconds until the next attempt; undefined when there is none. */
export function pauseBefore(
  attempt: number,
  error: unknown,
  isRepeatable: boolean,
  { maxRetries, maxWaitMs }: RetryOptions,
  random: () => number = Math.random,
): number | undefined {
  if (attempt > maxRetries || !(isUntouched(error) || (isRepeatable && isPassing(error)))) return undefined
  if (error instanceof TouchlineError && (error.status === 501 || error.code === 'link_tokens_disabled'))
    return undefined
  const asked = error instanceof TouchlineError ? (error.retryAfter ?? 0) * 1000 : 0
  if (asked > maxWaitMs) return undefined
  // Callers that were turned away together must not come back together.
  const spread = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) * random()
  return Math.min(maxWaitMs, asked + spread)
}

/** Seconds from the header, which holds seconds or a date. */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = Number(header)
  const wait = Number.isFinite(seconds) ? seconds : (Date.parse(header) - now) / 1000
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}
