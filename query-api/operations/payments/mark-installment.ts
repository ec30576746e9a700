import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { markInstallment as mark } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { decide } from './decide.ts'
import { describePayment, Payment, PaymentParams, paymentMeta } from './payment.ts'

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
    const { row } = await decide(deps, params.payment_id, request, async ({ tx, payment, standing }) => {
      if (standing.isInstallment !== body.is_installment) await mark(tx, payment, body.is_installment)
    })
    return describePayment(deps, row)
  },
})
