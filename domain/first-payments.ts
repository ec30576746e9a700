import { dayMs } from './time.ts'

/** A payment of one customer, as the first-payment rules see it. */
export interface PaymentInOrder {
  id: string
  timeMs: number
  /** Token of who it is for; null when the sender named nobody. */
  subjectRef: string | null
  /** Marked by the merchant as a later installment. */
  isInstallment: boolean
}

export interface FirstPaymentFlag {
  id: string
  isFirst: boolean
  /** The payment that opens a first-payment group: the group counts once, where this one is credited. */
  opens: boolean
}

/** A deposit and its balance are one first payment when they are at most this far apart. */
const groupingMs = 7 * dayMs

/**
 * Which payments of a customer are first ones, for tests and documentation: the warehouse's SQL is held against it.
 * A subject is new only while every earlier payment names another subject; an untagged payment is first only if it is
 * the customer's very first, or completes that one within seven days with nothing tagged in between.
 */
export function firstPayments(payments: PaymentInOrder[]): FirstPaymentFlag[] {
  const ordered = [...payments].sort((x, y) => x.timeMs - y.timeMs || (x.id < y.id ? -1 : 1))
  const openers = ordered.map((payment, index) => {
    const earlier = ordered.slice(0, index)
    if (payment.isInstallment) return false
    if (payment.subjectRef === null) return earlier.length === 0
    return earlier.every((other) => other.subjectRef !== null && other.subjectRef !== payment.subjectRef)
  })
  return ordered.map((payment, index) => {
    const isInGroup = ordered.some(
      (opener, at) =>
        at < index &&
        openers[at] &&
        opener.subjectRef === payment.subjectRef &&
        payment.timeMs - opener.timeMs <= groupingMs,
    )
    const followsTagged =
      payment.subjectRef === null && ordered.slice(0, index).some((other) => other.subjectRef !== null)
    const isFirst = !payment.isInstallment && (openers[index]! || (isInGroup && !followsTagged))
    return { id: payment.id, isFirst, opens: openers[index]! }
  })
}
