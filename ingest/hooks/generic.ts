import { z } from 'zod'
import { Amount, Currency, id, label, Time } from '../fields.ts'
import { describeIssue } from '../issues.ts'
import { type Notification, type ReadNotification, type Told, Unmappable } from './notification.ts'

const asOf = Time.nullish()

/** Our own shape, for any payment provider or CRM that can be told what to send; fields are those of the imports. */
const Sent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('payment'), as_of: asOf }),
  z.looseObject({ type: z.literal('outcome'), as_of: asOf }),
  z.looseObject({
    type: z.literal('refund'),
    as_of: asOf,
    payment_external_id: id(200),
    external_id: label(200),
    amount: Amount,
    currency: Currency,
  }),
])

export const readGeneric: ReadNotification = ({ header, json, source, receivedAt }): Notification => {
  const key = header('webhook-id') ?? ''
  const parsed = Sent.safeParse(json)
  if (!parsed.success) throw new Unmappable(describeIssue(parsed.error.issues[0]!), 'unknown', key)
  const { type: topic, as_of, ...row } = parsed.data
  // The signed time of sending orders what says no time of its own.
  const asOfMs = as_of ?? Number(header('webhook-timestamp')) * 1000
  return {
    topic,
    key,
    told: [tell({ ...row, provider: source }, topic, Number.isFinite(asOfMs) ? asOfMs : receivedAt)],
  }
}

function tell(row: Record<string, unknown> & { provider: string }, type: string, asOfMs: number): Told {
  if (type !== 'refund') return { kind: type as 'payment', asOf: asOfMs, row: row as never }
  const { provider, payment_external_id, external_id, amount, currency } = row as Record<string, string> & typeof row
  return {
    kind: 'refund',
    asOf: asOfMs,
    refund: {
      provider,
      payment: payment_external_id!,
      id: external_id!,
      isDispute: false,
      amount: String(amount),
      currency: currency!,
    },
  }
}
