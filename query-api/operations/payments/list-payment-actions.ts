import { z } from 'zod'
import { fromMinor } from '../../../domain/money.ts'
import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { actionKinds, type LoggedAction as Logged, loggedActions } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { mayReadPayers, PaymentParams, paymentMeta, storedPayment } from './payment.ts'

const LoggedAction = z
  .object({
    kind: z.enum(actionKinds),
    at: z.iso.datetime(),
    by: z
      .object({ credential: z.string(), id: z.string() })
      .nullable()
      .meta({ description: 'The credential that decided it; null when it was not decided over the API.' }),
    request_id: z.string().nullable(),
    is_installment: z.boolean().nullable(),
    refunded_manual: z.string().nullable().meta({ description: '0 when the refund was taken back.' }),
    currency: z.string().nullable().meta({ description: 'What was refunded in.' }),
    customer_profile_id: z
      .uuid()
      .nullable()
      .meta({ description: 'The assigned payer; null when given back, and without customers:read.' }),
  })
  .meta({ id: 'PaymentAction' })

export const listPaymentActions = operation({
  id: 'listPaymentActions',
  method: 'GET',
  url: '/payments/:payment_id/actions',
  summary: 'List who decided what about a payment',
  description: 'Newest first, at most 500.',
  tags: ['Payments'],
  scopes: ['commerce:read'],
  readsPersons: true,
  params: PaymentParams,
  onInvalid: { params: 'payment_ref_invalid' },
  response: page(LoggedAction, { meta: paymentMeta }),
  errors: ['not_found'],
  handler: async ({ params, ...deps }) => {
    const { profile, credential, postgres, persons } = deps
    const row = await storedPayment(deps, params.payment_id)
    const isShown = mayReadPayers(credential)
    const actions = await asProfile(postgres, profile.id, (tx) => loggedActions(tx, profile.id, row.payment_id))
    persons(isShown ? new Set(actions.flatMap(({ payerCustomerId }) => payerCustomerId ?? [])).size : 0)
    return {
      data: actions.map((action) => ({
        kind: action.kind,
        at: action.at.toISOString(),
        by:
          action.credentialKind && action.credentialId
            ? { credential: action.credentialKind, id: action.credentialId }
            : null,
        request_id: action.requestId,
        is_installment: action.isInstallment,
        ...refundOf(action, row.currency),
        customer_profile_id: isShown ? action.payerCustomerId : null,
      })),
      meta: { payer_withheld: !isShown },
    }
  },
})

function refundOf({ refundedMinor, refundCurrency }: Logged, ofPayment: string) {
  if (refundedMinor === null) return { refunded_manual: null, currency: null }
  const currency = refundCurrency ?? ofPayment
  return { refunded_manual: fromMinor(refundedMinor, currency), currency }
}
