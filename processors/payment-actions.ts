import { outcomeSubjects } from '../clickhouse/queries/outcome-subjects.ts'
import { noId } from '../domain/ids.ts'
import type { PaymentAction } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { forgetLateRefs } from './facts/forget-late-refs.ts'
import { markDirty } from './facts/mark-dirty.ts'
import { isPaymentAction, plausible } from './facts/plausible.ts'
import { each, gather, ok, pipeline } from './runner/pipeline.ts'

const paymentsPerQuery = 100

/** Where a payment is found from its payer, and its payer from it; each a superset that is verified on read. */
export const waysToPayments = ['subject_outcomes', 'outcome_subjects', 'named_outcomes'] as const

type ActionDeps = Pick<FactDeps, 'warehouse' | 'producer' | 'erasedPayers'>

/** Merchants' decisions → stored, the newest of a kind → recompute of everyone the payment ever concerned. */
export const paymentActionsPipeline = (deps: ActionDeps) =>
  pipeline(topics.paymentActions)
    .step('plausible', plausible(isPaymentAction))
    .step(
      'rows',
      each(({ value }) => ok({ action: actionRow(value), payers: payerRows(value) })),
    )
    .sink(
      gather(
        (value) => value.payers,
        async (pairs) => {
          for (const table of waysToPayments) await deps.warehouse.insert(table, pairs)
        },
      ),
      gather(
        (value) => [value.action],
        (rows) => deps.warehouse.insert('payment_actions', rows),
      ),
      gather(
        (value) => [value.action.payment_id],
        async (payments) => {
          for (let i = 0; i < payments.length; i += paymentsPerQuery) {
            await tellConcerned(deps, payments.slice(i, i + paymentsPerQuery))
          }
        },
      ),
    )

/** Everyone these payments ever concerned is computed again; of erased ones among them it is forgotten who they paid for. */
async function tellConcerned(deps: ActionDeps, outcomes: string[]): Promise<void> {
  const concerned = await deps.warehouse.run(outcomeSubjects, { outcomes })
  await markDirty(deps.producer)(concerned)
  await forgetLateRefs(deps)(
    concerned.map(({ profile_id, subject_id }) => ({ profileId: profile_id, token: subject_id })),
  )
}

function actionRow({ profile_id, payment_id, version, value }: PaymentAction) {
  const none = { is_installment: false, payer_subject_id: noId, refunded_minor: 0, refund_currency: '' }
  const row = { profile_id, payment_id, version, ...none }
  if ('touchline.InstallmentMark' in value)
    return { ...row, kind: 'installment', ...value['touchline.InstallmentMark'] }
  if ('touchline.ManualRefund' in value) {
    const { amount_minor, currency } = value['touchline.ManualRefund']
    return { ...row, kind: 'refund', refunded_minor: amount_minor, refund_currency: currency ?? '' }
  }
  return { ...row, kind: 'payer', payer_subject_id: value['touchline.PayerAssignment'].subject_id ?? noId }
}

/** The payment is found from the payer as well. */
const payerRows = ({ profile_id, payment_id, value }: PaymentAction) =>
  'touchline.PayerAssignment' in value && value['touchline.PayerAssignment'].subject_id
    ? [{ profile_id, outcome_id: payment_id, subject_id: value['touchline.PayerAssignment'].subject_id }]
    : []
