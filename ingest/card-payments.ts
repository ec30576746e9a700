import { z } from 'zod'
import { knownClickIds } from '../domain/click.ts'
import { ids } from '../domain/ids.ts'
import { toMinor } from '../domain/money.ts'
import { isPaymentRef } from '../domain/payment-ref.ts'
import { correctTime, tooOld } from '../domain/time.ts'
import { failsAs, one } from '../http/operation.ts'
import type { Payment } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import { Amount, ClickIds, Currency, moneyMessages, SubjectRef, Time, UserTraits } from './fields.ts'
import { operation } from './operation.ts'
import { sealParties } from './person.ts'
import { type EventContext, failed, subjectRefOf } from './server-event.ts'

const provider = 'cardpay'

const CardPayment = z
  .object({
    payment_ref: failsAs(
      'payment_ref_invalid',
      z
        .union([z.string(), z.int()], { error: "must be the gateway's reference" })
        .transform((value) => String(value).trim())
        .refine(isPaymentRef, { error: 'must have 1 to 200 letters, digits, _ . : and -, and be no card number' })
        .meta({ description: "The gateway's own id of the payment. Sent again it replaces the payment." }),
    ),
    amount: Amount.meta({ description: "What was paid, in the currency's main unit.", examples: ['45990'] }),
    currency: Currency.nullish().meta({ description: "ISO 4217; the profile's own where it is left out." }),
    refunded_amount: Amount.nullish().meta({ description: 'All that the gateway has refunded of it so far.' }),
    occurred_at: Time.nullish().meta({
      description:
        'When it was paid. Where it is left out: now, or, for a payment that is reported again, when it was.',
    }),
    user_traits: UserTraits.nullish().meta({ description: 'Who paid, as in POST /events.' }),
    subject_ref: SubjectRef,
    click_ids: ClickIds.nullish(),
  })
  .meta({ id: 'CardPayment' })

/** A gateway without a connection of its own: the merchant's system reports its payments. The 202 says Kafka has it. */
export const reportCardPayment = operation({
  id: 'reportCardPayment',
  method: 'POST',
  url: '/payments/cardpay',
  summary: 'Report a card-gateway payment',
  description:
    'For a gateway that has no connection. A later report with the same payment_ref replaces the payment, so a refund ' +
    'is the payment once more with its refunded_amount. Send no card number anywhere.',
  tags: ['Payments'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  rateLimit: 'events',
  bodyLimitBytes: 64 * 1024,
  body: CardPayment,
  response: one(z.object({ payment_id: z.uuid() }).meta({ id: 'PaymentReceipt' })),
  status: 202,
  errors: ['invalid_parameter', 'payment_ref_invalid', 'service_unavailable'],
  handler: async ({ body, profile, request, producer, vault, metrics }) => {
    const receivedAt = request.receivedAt.getTime()
    const payment = await toPayment(body, { profile, receivedAt, vault, onRefused: metrics.identifierRefused })
    await producer.send(topics.payments, [payment])
    metrics.accepted('payments', 1)
    return { payment_id: payment.payment_id }
  },
})

async function toPayment(sent: z.output<typeof CardPayment>, context: EventContext): Promise<Payment> {
  const { profile, receivedAt, vault, onRefused } = context
  const currency = sent.currency ?? profile.reportingCurrency
  const minorOf = (field: string, value: number | string) => {
    const minor = toMinor(value, currency)
    if (!minor.ok) throw failed(field, moneyMessages[minor.reason])
    return minor.value
  }
  const amount = minorOf('amount', sent.amount)
  const refunded = minorOf('refunded_amount', sent.refunded_amount ?? 0)
  if (amount === 0) throw failed('amount', 'must be above zero')
  if (refunded > amount) throw failed('refunded_amount', 'must not be above amount')
  const occurred = correctTime(sent.occurred_at ?? receivedAt, receivedAt)
  if (!occurred.ok) throw failed('occurred_at', tooOld)
  const subjectRef = subjectRefOf(sent.subject_ref, 'subject_ref')
  const { person, subjectRefToken } = await sealParties(
    vault,
    profile.id,
    { person: sent.user_traits, subjectRef },
    onRefused,
  )
  return {
    profile_id: profile.id,
    payment_id: ids.payment(profile.id, provider, sent.payment_ref),
    provider,
    external_id: sent.payment_ref,
    occurred_at: occurred.value.time,
    received_at: receivedAt,
    is_clamped: occurred.value.isClamped,
    amount_minor: amount,
    currency,
    refunded_minor: refunded,
    subject_ref_token: subjectRefToken,
    click_ids: knownClickIds(sent.click_ids ?? {}),
    ...person,
  }
}
