import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { lockPayment, recordRefund as record, standingActions } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { actorOf, describePayment, Payment, PaymentParams, paymentMeta, storedPayment } from './payment.ts'

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
    const row = await storedPayment(deps, params.payment_id)
    const payment = { profileId: deps.profile.id, paymentId: row.payment_id, by: actorOf(deps.credential, request) }
    await asProfile(deps.postgres, deps.profile.id, async (tx) => {
      await lockPayment(tx, payment)
      const standing = (await standingActions(tx, payment.profileId, [payment.paymentId])).get(payment.paymentId)
      if (!standing?.refundedMinor) throw new ApiError('not_found', 'This payment has no manual refund.')
      await record(tx, payment, 0, row.currency)
    })
    return describePayment(deps, row)
  },
})
