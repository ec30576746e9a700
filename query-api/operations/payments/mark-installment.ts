import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { lockPayment, markInstallment as mark, standingActions } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { actorOf, describePayment, Payment, PaymentParams, paymentMeta, storedPayment } from './payment.ts'

export const markInstallment = operation({
  id: 'markInstallment',
  method: 'PUT',
  url: '/payments/:payment_id/installment',
  summary: 'Mark or unmark a payment as a later installment',
  description:
    'A later installment is never a first payment, and makes those after it none. First-payment flags are derived again.',
  tags: ['Payments'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  readsPersons: true,
  params: PaymentParams,
  onInvalid: { params: 'payment_ref_invalid' },
  body: z.object({ is_installment: z.boolean() }).meta({ id: 'InstallmentMark' }),
  response: one(Payment, { meta: paymentMeta }),
  errors: ['not_found'],
  handler: async ({ params, body, request, ...deps }) => {
    const row = await storedPayment(deps, params.payment_id)
    const payment = { profileId: deps.profile.id, paymentId: row.payment_id, by: actorOf(deps.credential, request) }
    await asProfile(deps.postgres, deps.profile.id, async (tx) => {
      await lockPayment(tx, payment)
      const standing = (await standingActions(tx, payment.profileId, [payment.paymentId])).get(payment.paymentId)
      if ((standing?.isInstallment ?? false) !== body.is_installment) await mark(tx, payment, body.is_installment)
    })
    return describePayment(deps, row)
  },
})
