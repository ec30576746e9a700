import { ApiError, one } from '../../../http/operation.ts'
import { recordRefund as record } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { decide } from './decide.ts'
import { describePayment, Payment, PaymentParams, paymentMeta } from './payment.ts'

export const undoRefund = operation({
  id: 'undoRefund',
  method: 'DELETE',
  url: '/payments/:payment_id/refund',
  summary: 'Undo a manually recorded refund',
  description: "The provider's own refunds stay.",
  tags: ['Payments'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  readsPersons: true,
  params: PaymentParams,
  onInvalid: { params: 'payment_ref_invalid' },
  response: one(Payment, { meta: paymentMeta }),
  errors: ['not_found'],
  handler: async ({ params, request, ...deps }) => {
    const { row } = await decide(deps, params.payment_id, request, async ({ tx, payment, standing, row }) => {
      if (standing.refundedMinor === 0) throw new ApiError('not_found', 'This payment has no manual refund.')
      await record(tx, payment, 0, row.currency)
    })
    return describePayment(deps, row)
  },
})
