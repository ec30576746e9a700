import { z } from 'zod'
import type { PaymentRow } from '../../../clickhouse/queries/payments.ts'
import { fromMinor, toMinor } from '../../../domain/money.ts'
import { ApiError, failsAs, one } from '../../../http/operation.ts'
import { recordRefund as record } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { decide } from './decide.ts'
import { describePayment, Payment, PaymentParams, paymentMeta } from './payment.ts'

export const recordRefund = operation({
  id: 'recordRefund',
  method: 'POST',
  url: '/payments/:payment_id/refund',
  summary: 'Record a refund made outside the provider',
  description:
    'At most one a payment; take it back first to record another. Above zero and at most the payment less what the ' +
    'provider has reversed; without an amount, all of that.',
  tags: ['Payments'],
  scopes: ['attribution:write'],
  // A repeat finds the refund that there is: it is never recorded twice.
  idempotency: 'natural',
  readsPersons: true,
  params: PaymentParams,
  onInvalid: { params: 'payment_ref_invalid' },
  body: z
    .object({
      amount: failsAs(
        'amount_invalid',
        z
          .union([z.number(), z.string().max(64)], { error: 'must be a decimal number' })
          .nullish()
          .meta({
            description: "In the payment's currency; all that remains where it is left out.",
            examples: ['20.00'],
          }),
      ),
    })
    .meta({ id: 'ManualRefund' })
    .prefault({}),
  response: one(Payment, { meta: paymentMeta }),
  status: 201,
  errors: ['not_found', 'amount_invalid', 'manual_refund_exists'],
  handler: async ({ params, body, request, ...deps }) => {
    const { row } = await decide(deps, params.payment_id, request, async ({ tx, payment, standing, row }) => {
      if (standing.refundedMinor !== 0) throw new ApiError('manual_refund_exists')
      await record(tx, payment, refundOf(row, body.amount), row.currency)
    })
    return describePayment(deps, row)
  },
})

/** SPEC 4.5: above zero, at most the value less what the provider already reversed. */
function refundOf(row: PaymentRow, sent: number | string | null | undefined): number {
  const remaining = (row.amount_minor ?? 0n) - row.refunded_minor
  const minor =
    sent === null || sent === undefined
      ? { ok: true as const, value: remaining }
      : toMinor(sent, row.currency, { isExact: true })
  if (!minor.ok || minor.value <= 0 || minor.value > remaining) {
    const most = fromMinor(remaining > 0n ? remaining : 0n, row.currency)
    throw new ApiError('amount_invalid', `amount: must be above zero and at most ${most} ${row.currency}`)
  }
  return Number(minor.value)
}
