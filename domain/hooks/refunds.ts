import { largestMinor } from '../money.ts'

/** A refund or a reversal that was told apart from its payment. */
export interface ToldRefund {
  asOf: number
  minor: number
  /** Those kept before currencies were have none, and count as the payment's. */
  currency?: string
  /** What told of it last. */
  deliveryId?: string
  /** Of one that came to nothing: what it was to give back, and since when. */
  failed?: { minor: number; since: number }
}

/**
 * By what its provider numbers it, behind `r/` for a refund and `d/` for money that a dispute took back; under `u/` what was
 * reserved and never taken, which a provider may tell as a refund of its own.
 */
export type ToldRefunds = Record<string, ToldRefund>

/**
 * Of two tellings about one refund the later holds; at the same moment that it came to nothing, which is the last word about
 * it, and else the larger, whichever came first.
 */
export function withRefund(refunds: ToldRefunds, id: string, told: ToldRefund): ToldRefunds {
  const standing = refunds[id]
  return standing && !isLater(told, standing) ? refunds : { ...refunds, [id]: told }
}

function isLater(told: ToldRefund, standing: ToldRefund): boolean {
  if (told.asOf !== standing.asOf) return told.asOf > standing.asOf
  if (!told.failed !== !standing.failed) return told.failed !== undefined
  return told.minor > standing.minor
}

/** Money in another currency than the payment's is not taken off it: those refunds are set apart. */
export function inCurrency(refunds: ToldRefunds, currency: string): { own: ToldRefunds; others: ToldRefund[] } {
  const isOwn = (told: ToldRefund) => told.currency === undefined || told.currency === currency
  const others = Object.values(refunds).filter((told) => !isOwn(told))
  const own =
    others.length === 0 ? refunds : Object.fromEntries(Object.entries(refunds).filter(([, one]) => isOwn(one)))
  return { own, others }
}

/**
 * All that the provider took back. A payment tells the sum of its refunds itself, and each refund may be told as well:
 * the larger of both counts, as either may be late. A refund that failed after the payment told its sum is still in it; one
 * that failed at that moment is where the sum has room for it beside the others. Disputes are never in that sum.
 */
export function refundedMinor(payment: { minor: number; asOf: number }, refunds: ToldRefunds): number {
  const all = Object.entries(refunds)
  const sum = (prefix: string, of: (told: ToldRefund) => number = ({ minor }) => minor) =>
    all.reduce((total, [id, told]) => total + (id.startsWith(prefix) ? of(told) : 0), 0)
  const given = sum('r/')
  const isIn = (failed: { minor: number; since: number }, failedAt: number) =>
    failed.since <= payment.asOf &&
    (payment.asOf < failedAt || (payment.asOf === failedAt && payment.minor >= given + failed.minor))
  const failedSince = sum('r/', ({ asOf, failed }) => (failed && isIn(failed, asOf) ? failed.minor : 0))
  return Math.min(Math.max(payment.minor - failedSince, given - sum('u/'), 0) + sum('d/'), largestMinor)
}
