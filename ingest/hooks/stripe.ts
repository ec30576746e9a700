import { z } from 'zod'
import { label } from '../fields.ts'
import { describeIssue } from '../issues.ts'
import { type Notification, type ReadNotification, type Told, Unmappable } from './notification.ts'

const provider = 'stripe'
const Reference = z
  .union([z.string().max(200), z.looseObject({ id: z.string().max(200) })])
  .transform((value) => (typeof value === 'string' ? value : value.id))
  .nullish()
/** Within what a date can be. */
const Seconds = z.int().min(0).max(8_640_000_000_000)
const Minor = z.int().min(0)

const Event = z.looseObject({
  id: label(200),
  type: label(100),
  created: Seconds,
  livemode: z.boolean().optional(),
  data: z.looseObject({ object: z.looseObject({}) }),
})

/** What a broken event is still known by. */
const Named = Event.pick({ id: true, type: true })

const Charge = z.looseObject({
  id: label(200),
  amount: Minor,
  amount_captured: Minor.nullish(),
  amount_refunded: Minor.nullish(),
  currency: z.string(),
  created: Seconds,
  status: z.string().nullish(),
  captured: z.boolean().nullish(),
  payment_intent: Reference,
  customer: Reference,
  receipt_email: z.string().nullish(),
  billing_details: z
    .looseObject({
      name: z.string().nullish(),
      email: z.string().nullish(),
      phone: z.string().nullish(),
      address: z.looseObject({ country: z.string().nullish() }).nullish(),
    })
    .nullish(),
})

const Reversal = z.looseObject({
  id: label(200),
  amount: Minor,
  currency: z.string(),
  created: Seconds.nullish(),
  status: z.string().nullish(),
  charge: Reference,
  payment_intent: Reference,
})

type Event = z.output<typeof Event>
type Reader = (event: Event) => Told[] | string

/** What each type of event says; a text is why it says nothing. */
const readers: Record<string, Reader> = {
  'charge.succeeded': charge,
  'charge.captured': charge,
  'charge.updated': charge,
  'charge.refunded': charge,
  'refund.created': refund,
  'refund.updated': refund,
  'refund.failed': refund,
  'charge.refund.updated': refund,
  'charge.dispute.funds_withdrawn': (event) => reversal(event, true, true),
  'charge.dispute.funds_reinstated': (event) => reversal(event, true, false),
  'payment_intent.succeeded': () => 'told_by_its_charge',
  'checkout.session.completed': () => 'told_by_its_charge',
  'invoice.paid': () => 'told_by_its_charge',
  'invoice.payment_succeeded': () => 'told_by_its_charge',
  'charge.pending': () => 'not_paid',
  'charge.failed': () => 'not_paid',
  'charge.expired': () => 'not_paid',
  'payment_intent.created': () => 'not_paid',
  'payment_intent.payment_failed': () => 'not_paid',
  'charge.dispute.created': () => 'told_by_its_funds',
  'charge.dispute.updated': () => 'told_by_its_funds',
  'charge.dispute.closed': () => 'told_by_its_funds',
}

export const readStripe: ReadNotification = ({ json }): Notification => {
  const parsed = Event.safeParse(json)
  if (!parsed.success) {
    const { id: key, type: topic } = Named.safeParse(json).data ?? {}
    throw new Unmappable(describeIssue(parsed.error.issues[0]!), topic, key)
  }
  const event = parsed.data
  const { id: key, type: topic } = event
  const reader = Object.hasOwn(readers, topic) ? readers[topic] : undefined
  if (!reader) throw new Unmappable('unknown_topic', topic, key)
  // Test payments are no revenue.
  if (event.livemode === false) return { topic, key, told: [], ignored: 'test_mode' }
  const told = reader(event)
  return typeof told === 'string' ? { topic, key, told: [], ignored: told } : { topic, key, told }
}

function read<Schema extends z.ZodType>(schema: Schema, event: Event): z.output<Schema> {
  const parsed = schema.safeParse(event.data.object)
  if (!parsed.success)
    throw new Unmappable(`data.object.${describeIssue(parsed.error.issues[0]!)}`, event.type, event.id)
  return parsed.data
}

/** In the order in which they follow each other; times are whole seconds. */
const chargeTopics = ['charge.succeeded', 'charge.captured', 'charge.updated', 'charge.refunded']

function charge(event: Event): Told[] | string {
  const paid = read(Charge, event)
  if (paid.status && paid.status !== 'succeeded') return 'not_paid'
  if (paid.captured === false) return 'not_captured'
  const { name, email, phone, address } = paid.billing_details ?? {}
  const [firstName, ...lastNames] = name?.trim().split(/\s+/) ?? []
  // What was reserved beyond what was captured is refunded by the provider itself.
  const captured = paid.amount_captured ?? paid.amount
  const released = Math.min(Math.max(paid.amount - captured, 0), paid.amount_refunded ?? 0)
  return [
    {
      kind: 'payment',
      asOf: event.created * 1000,
      rank: chargeTopics.indexOf(event.type),
      released: decimal(released, paid.currency),
      row: {
        provider,
        external_id: paid.payment_intent ?? paid.id,
        occurred_at: paid.created * 1000,
        amount: decimal(captured, paid.currency),
        currency: paid.currency,
        refunded_amount: decimal((paid.amount_refunded ?? 0) - released, paid.currency),
        customer: {
          email: email ?? paid.receipt_email,
          phone,
          first_name: firstName,
          last_name: lastNames.join(' ') || null,
          country: address?.country,
          provider_id: paid.customer,
        },
      },
    },
  ]
}

function refund(event: Event): Told[] {
  const { status } = read(Reversal, event)
  return reversal(event, false, status !== 'failed' && status !== 'canceled')
}

function reversal(event: Event, isDispute: boolean, isTaken: boolean): Told[] {
  const { id, amount, currency, created, charge: ofCharge, payment_intent } = read(Reversal, event)
  const payment = payment_intent ?? ofCharge
  if (!payment) throw new Unmappable('data.object.charge: is required', event.type, event.id)
  const told = { provider, payment, id, isDispute, currency }
  const failed = { amount: decimal(amount, currency), since: (created ?? event.created) * 1000 }
  return [
    {
      kind: 'refund',
      asOf: event.created * 1000,
      refund: isTaken ? { ...told, amount: failed.amount } : { ...told, amount: '0', failed },
    },
  ]
}

/** Stripe's own units: some currencies have decimals there that ISO 4217 does not give them, and the other way round. */
const decimalsAtStripe: Record<string, number> = Object.fromEntries([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3]),
])

/** The exact decimal of an amount in Stripe's units. */
function decimal(amount: number, currency: string): string {
  const decimals = decimalsAtStripe[currency.toUpperCase()] ?? 2
  const digits = String(amount).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
