import type pg from 'pg'
import { ids } from '../../domain/ids.ts'
import { paymentAwaited, settleDelivery, type Verdict } from '../../postgres/stores/hook-deliveries.ts'
import { foldOutcome, foldPayment, foldRefund } from '../../postgres/stores/hook-states.ts'
import { enqueue } from '../../postgres/stores/outbox.ts'
import type { Payment } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import type { Fact } from './facts.ts'

const otherCurrency: Verdict = { status: 'unmappable', reason: 'currency: must be that of the payment', messages: 0 }

/** A refund that came before its payment, when that has come. */
const countedLater: Verdict = { status: 'mapped', reason: null, messages: 0 }

/** What is news of it goes to the pipeline, as received at a time. */
export async function tell(
  tx: pg.PoolClient,
  { profileId, id: deliveryId }: { profileId: string; id: string },
  facts: Fact[],
  receivedAt: number,
): Promise<Verdict> {
  let messages = 0
  let news = 0
  const pay = async (payment: Payment | undefined) => {
    if (!payment) return
    await enqueue(tx, topics.payments, { ...payment, received_at: receivedAt })
    messages++
  }
  for (const fact of facts) {
    if (fact.kind === 'outcome') {
      const { outcome } = fact
      const isNews = await foldOutcome(tx, outcome, fact.asOf)
      if (!isNews) continue
      await enqueue(tx, topics.crmOutcomes, { ...outcome, received_at: receivedAt })
      messages++
      news++
    } else if (fact.kind === 'payment') {
      const folded = await foldPayment(tx, fact.payment, fact, fact.releasedMinor)
      if (!folded) continue
      news++
      await pay(folded.payment)
      for (const counted of folded.counted) await settleDelivery(tx, counted, countedLater)
      for (const misread of folded.misread) await settleDelivery(tx, misread, otherCurrency)
    } else {
      const { provider, payment, id, isDispute } = fact.refund
      const told = { ...fact.told, deliveryId }
      const target = { profileId, id: ids.payment(profileId, provider, payment) }
      const folded = await foldRefund(tx, target, `${isDispute ? 'd' : 'r'}/${id}`, told)
      if (folded.kind === 'other_currency') return otherCurrency
      if (folded.kind === 'old_news') continue
      news++
      await pay(folded.payment)
    }
  }
  if (news === 0) return { status: 'superseded', reason: 'older_than_known', messages }
  return { status: 'mapped', reason: messages === 0 ? paymentAwaited : null, messages }
}
