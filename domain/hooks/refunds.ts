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

/** Of two tellings about one refund the later holds; at the same moment the larger, whichever came first. */
export function withRefund(refunds: ToldRefunds, id: string, told: ToldRefund): ToldRefunds {
  const standing = refunds[id]
  const isOlder =
    standing && (told.asOf < standing.asOf || (told.asOf === standing.asOf && told.minor <= standing.minor))
  return isOlder ? refunds : { ...refunds, [id]: told }
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
 * the larger of both counts, as either may be late. A refund that failed after the payment told its sum is still in it.
 * Disputes are never in that sum.
 */
export function refundedMinor(payment: { minor: number; asOf: number }, refunds: ToldRefunds): number {
  const all = Object.entries(refunds)
  const sum = (prefix: string, of: (told: ToldRefund) => number = ({ minor }) => minor) =>
    all.reduce((total, [id, told]) => total + (id.startsWith(prefix) ? of(told) : 0), 0)
  const failedSince = sum('r/', ({ asOf, failed }) =>
    failed && failed.since <= payment.asOf && payment.asOf < asOf ? failed.minor : 0,
  )
  return Math.max(payment.minor - failedSince, sum('r/') - sum('u/'), 0) + sum('d/')
}
