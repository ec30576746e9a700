import { one } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { describePayment, Payment, PaymentParams, paymentMeta, storedPayment } from './payment.ts'

export const readPayment = operation({
  id: 'readPayment',
  method: 'GET',
  url: '/payments/:payment_id',
  summary: 'Read one payment with the merchant’s actions applied',
  tags: ['Payments'],
  scopes: ['commerce:read'],
  readsPersons: true,
  params: PaymentParams,
  onInvalid: { params: 'payment_ref_invalid' },
  response: one(Payment, { meta: paymentMeta }),
  errors: ['not_found'],
  handler: async ({ params, ...deps }) => describePayment(deps, await storedPayment(deps, params.payment_id)),
})
