import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { payerPropagation } from '../../../clickhouse/queries/payer-propagation.ts'
import { isUuid } from '../../../domain/ids.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { payingSubject } from '../../../postgres/stores/payers.ts'
import { assignPayer as assign } from '../../../postgres/stores/payment-actions.ts'
import { operation } from '../../operation.ts'
import { decide } from './decide.ts'
import { describePayment, Payment, type PaymentDeps, PaymentParams, paymentMeta } from './payment.ts'

const confirmMs = 5_000
const longestPauseMs = 400

export const assignPayer = operation({
  id: 'assignPayer',
  method: 'PUT',
  url: '/payments/:payment_id/payer',
  summary: 'Assign who paid',
  description:
    'The payment and its credit move to that customer; null gives it back to whom its sender named. The answer waits ' +
    'until the credit has moved. When that takes too long it is 502 payment_assignment_incomplete: the assignment is ' +
    'recorded, and the same request sent again confirms it.',
  tags: ['Payments'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  readsPersons: true,
  params: PaymentParams,
  onInvalid: { params: 'payment_ref_invalid' },
  body: z
    .object({
      customer_profile_id: z.string().max(100).nullable().meta({ description: 'An active customer of this profile.' }),
    })
    .meta({ id: 'PayerAssignment' }),
  response: one(Payment, { meta: paymentMeta }),
  errors: ['not_found', 'customer_not_in_profile', 'payment_assignment_incomplete'],
  handler: async ({ params, body, request, ...deps }) => {
    const { row, result: version } = await decide(
      deps,
      params.payment_id,
      request,
      async ({ tx, payment, standing }) => {
        const customer = body.customer_profile_id?.toLowerCase() ?? null
        const subject = customer && isUuid(customer) ? await payingSubject(tx, payment.profileId, customer) : undefined
        if (customer !== null && !subject) throw new ApiError('customer_not_in_profile')
        const isStanding = customer
          ? standing.payerSubjectId && standing.payerCustomerId === customer
          : !standing.payerSubjectId
        // A retry decides nothing new: it only waits for what was decided.
        return isStanding ? standing.payerVersion : assign(tx, payment, subject ?? null)
      },
    )
    await confirm(deps, row.payment_id, version, request.signal)
    return describePayment(deps, row)
  },
})

/** Waits until the warehouse has credited the payer; what is recorded stays recorded when it does not in time. */
async function confirm({ profile, clickhouse }: PaymentDeps, payment: string, version: number, gone: AbortSignal) {
  if (version === 0) return
  const giveUpAt = Date.now() + confirmMs
  for (let pauseMs = 50; !gone.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const [found] = await clickhouse.run(payerPropagation, { profile: profile.id, payment })
    if (found && found.version >= version && found.is_credited) return
    if (Date.now() + pauseMs > giveUpAt) break
    await sleep(pauseMs, undefined, { signal: gone }).catch(() => {})
  }
  throw new ApiError('payment_assignment_incomplete', undefined, { retry_after: 5 })
}
