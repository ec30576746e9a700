import { createHash } from 'node:crypto'
import { z } from 'zod'
import { reduceUrl } from '../../domain/click.ts'
import { cleanText } from '../../domain/text.ts'
import { parseTime } from '../../domain/time.ts'
import { id } from '../fields.ts'
import { describeIssue } from '../issues.ts'
import { type Notification, type ReadNotification, type Told, Unmappable } from './notification.ts'

const provider = 'shopify'
const Id = id(200)
const Time = z
  .string()
  .max(64)
  .transform((text) => parseTime(text) ?? Number.NaN)
  .refine(Number.isFinite, { error: 'must be an ISO 8601 time' })
const Text = z.string().nullish()
const Money = z.string().max(64)
const MoneyOf = z.looseObject({ amount: Money, currency_code: z.string() }).nullish()

const Transaction = z.looseObject({
  kind: z.string(),
  status: z.string(),
  test: z.boolean().nullish(),
  amount: Money,
  currency: Text,
  amount_set: z.looseObject({ shop_money: MoneyOf, presentment_money: MoneyOf }).nullish(),
})
type Transaction = z.output<typeof Transaction>
const Refund = z.looseObject({ id: Id, order_id: Id, created_at: Time, transactions: z.array(Transaction).default([]) })
const Address = z.looseObject({ first_name: Text, last_name: Text, phone: Text, country_code: Text }).nullish()

const Order = z.looseObject({
  id: Id,
  test: z.boolean().nullish(),
  financial_status: Text,
  total_price: Money,
  currency: z.string(),
  created_at: Time,
  processed_at: Time.nullish(),
  updated_at: Time,
  email: Text,
  contact_email: Text,
  phone: Text,
  landing_site: Text,
  customer: z.looseObject({ id: Id, email: Text, phone: Text, first_name: Text, last_name: Text }).nullish(),
  billing_address: Address,
  refunds: z.array(z.looseObject({ id: Id, transactions: z.array(Transaction).default([]) })).default([]),
})

type Reader = (json: unknown, topic: string) => Told[] | string

/** What each topic says; a text is why it says nothing. */
const readers: Record<string, Reader> = {
  'orders/create': order,
  'orders/paid': order,
  'orders/updated': order,
  'orders/cancelled': order,
  'orders/fulfilled': order,
  'orders/partially_fulfilled': order,
  'refunds/create': refund,
  'customers/create': () => 'no_outcome',
  'customers/update': () => 'no_outcome',
  'checkouts/create': () => 'not_paid',
  'checkouts/update': () => 'not_paid',
  'order_transactions/create': () => 'told_by_its_order',
}

export const readShopify: ReadNotification = ({ header, json, body }): Notification => {
  const topic = cleanText(header('x-shopify-topic') ?? '', 100) || 'unknown'
  // Only the body is signed, so the body is what a repeat is known by.
  const key = createHash('sha256').update(topic).update('\0').update(body).digest('hex')
  const reader = Object.hasOwn(readers, topic) ? readers[topic] : undefined
  if (!reader) throw new Unmappable('unknown_topic', topic, key)
  try {
    const told = reader(json, topic)
    return typeof told === 'string' ? { topic, key, told: [], ignored: told } : { topic, key, told }
  } catch (error) {
    if (error instanceof z.ZodError) throw new Unmappable(describeIssue(error.issues[0]!), topic, key)
    if (error instanceof Unmappable) throw new Unmappable(error.message, topic, key)
    throw error
  }
}

const paidStatuses = new Set(['paid', 'partially_refunded', 'refunded'])

/** In the order in which they follow each other; what else there is of an order comes later. */
const orderTopics = ['orders/create', 'orders/paid']
const rankOf = (topic: string) => (orderTopics.includes(topic) ? orderTopics.indexOf(topic) : orderTopics.length)

function order(json: unknown, topic: string): Told[] | string {
  const sold = Order.parse(json)
  if (sold.test) return 'test_mode'
  if (!paidStatuses.has(sold.financial_status ?? '')) return 'not_paid'
  const { customer, billing_address: address } = sold
  return [
    {
      kind: 'payment',
      asOf: sold.updated_at,
      rank: rankOf(topic),
      row: {
        provider,
        external_id: sold.id,
        occurred_at: sold.processed_at ?? sold.created_at,
        amount: sold.total_price,
        currency: sold.currency,
        refunded_amount: sum(
          given(sold.refunds.flatMap(({ transactions }) => transactions)).map((one) => refundedOf(one, sold.currency)),
        ),
        customer: {
          email: sold.email || sold.contact_email || customer?.email,
          phone: sold.phone || customer?.phone || address?.phone,
          first_name: customer?.first_name ?? address?.first_name,
          last_name: customer?.last_name ?? address?.last_name,
          country: address?.country_code,
          provider_id: customer?.id,
        },
        click_ids: clickIdsOf(sold.landing_site),
      },
    },
  ]
}

function refund(json: unknown): Told[] | string {
  const { id, order_id, created_at, transactions } = Refund.parse(json)
  const returned = given(transactions)
  // Goods taken back without money: nothing that figures know.
  if (returned.length === 0) return 'no_money'
  if (returned.every(({ test }) => test)) return 'test_mode'
  const amounts = returned.map((one) => amountsOf(one)[0])
  const currency = amounts[0]?.currency_code
  if (!currency || amounts.some((one) => one?.currency_code !== currency)) {
    throw new Unmappable('transactions.currency: must be one and the same')
  }
  const amount = sum(amounts.map((one) => one!.amount))
  return [
    {
      kind: 'refund',
      asOf: created_at,
      refund: { provider, payment: order_id, id, isDispute: false, amount, currency },
    },
  ]
}

/** What was given back for good. */
const given = (transactions: Transaction[]) =>
  transactions.filter(({ kind, status }) => kind === 'refund' && status === 'success')

/** The same money in every currency it is told in, that of the shop first: an order's figures are in that one. */
const amountsOf = ({ amount, currency, amount_set }: Transaction) =>
  [amount_set?.shop_money, amount_set?.presentment_money, currency ? { amount, currency_code: currency } : null].filter(
    (one) => one != null,
  )

function refundedOf(transaction: Transaction, currency: string): string {
  const amounts = amountsOf(transaction)
  // One that names no currency is in that of its order.
  const own = amounts.length === 0 ? transaction : amounts.find((one) => one.currency_code === currency)
  if (!own) throw new Unmappable('refunds.transactions.currency: must be that of the order')
  return own.amount
}

/** Exact to the last decimal. */
function sum(amounts: string[]): string {
  const parts = amounts.map((amount) => /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(amount.trim()))
  if (parts.some((part) => part === null)) throw new Unmappable('transactions.amount: must be a decimal number')
  const millionths = parts.reduce((total, part) => total + BigInt(part![1]! + (part![2] ?? '').padEnd(6, '0')), 0n)
  const digits = millionths.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** The page that the buyer landed on still has the click that led there. */
function clickIdsOf(landingSite: string | null | undefined): Record<string, string> {
  const landed = landingSite ? URL.parse(landingSite, 'https://shop.invalid') : null
  return landed ? reduceUrl(landed.href).clickIds : {}
}
