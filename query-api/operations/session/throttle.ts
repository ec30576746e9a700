import { ApiError } from '../../../http/operation.ts'
import { type RateLimiter, veiled } from '../../../http/rate-limit.ts'

const attemptsPerAccount = 5
const attemptsPerAddress = 30

/** Guesses at one account, whoever makes them, and those of one address, whomever they are at: per minute. */
export async function throttleGuesses(
  limiter: RateLimiter,
  { account, address }: { account: string; address: string },
): Promise<void> {
  const verdicts = [
    await limiter(`guess-address:${veiled(address)}`, attemptsPerAddress),
    await limiter(`guess-account:${veiled(account)}`, attemptsPerAccount),
  ]
  const refused = verdicts.find(({ isAllowed }) => !isAllowed)
  if (!refused) return
  throw new ApiError('rate_limit_exceeded', 'Too many attempts. Wait a little.', {
    retry_after: refused.resetInSeconds,
    reason: 'sign_in_attempts',
  })
}
