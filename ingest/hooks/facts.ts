import type { z } from 'zod'
import type { ToldRefund } from '../../domain/hooks/refunds.ts'
import { ids } from '../../domain/ids.ts'
import { toMinor } from '../../domain/money.ts'
import { correctTime, tooOld } from '../../domain/time.ts'
import type { HookEndpoint } from '../../postgres/stores/hook-endpoints.ts'
import type { CrmOutcome, Payment } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import { CrmOutcomeRow, toCrmOutcome } from '../imports/crm-outcomes.ts'
import { PaymentRow, toPayment } from '../imports/payments.ts'
import { BadRow, type ImportContext, occurredAt } from '../imports/row.ts'
import { describeIssue } from '../issues.ts'
import { type Notification, type Received, type Refund, type Told, Unmappable } from './notification.ts'
import { hookProviders } from './providers.ts'
import type { ToldOfErased } from './told-of-erased.ts'

/** `isOfErased`: whose payment or outcome it is was erased since it was last told of. */
export type Fact =
  | { kind: 'payment'; asOf: number; rank: number; releasedMinor: number; payment: Payment; isOfErased: boolean }
  | { kind: 'outcome'; asOf: number; outcome: CrmOutcome; isOfErased: boolean }
  | (ReadRefund & { isOfErased: boolean })

interface ReadRefund {
  kind: 'refund'
  asOf: number
  refund: Refund
  told: Omit<ToldRefund, 'deliveryId'> & { currency: string }
}

export interface FactContext extends ImportContext {
  toldOfErased: ToldOfErased
}

export type Reading = Omit<Notification, 'key'> & { key: string | undefined; failed?: string }

export function readNotification(endpoint: HookEndpoint, received: Received): Reading {
  try {
    return hookProviders[endpoint.provider].read(received)
  } catch (error) {
    if (!(error instanceof Unmappable)) throw error
    return { topic: error.topic, key: error.key, told: [], failed: error.message }
  }
}

/** Rows become messages as an import's do; one that breaks a rule makes the notification unmappable, and nothing is told. */
export async function factsOf({ told, failed }: Reading, context: FactContext): Promise<Fact[] | { failed: string }> {
  const rows = failed === undefined ? rowsOf(told, context.receivedAt) : { failed }
  return 'failed' in rows ? rows : Promise.all(rows.map((row) => factOf(row, context)))
}

/** What its rules find wrong with a notification, before anybody in it is sealed. */
export function faultOf({ told, failed }: Reading, receivedAt: number): string | undefined {
  const rows = failed === undefined ? rowsOf(told, receivedAt) : { failed }
  return 'failed' in rows ? rows.failed : undefined
}

type Row =
  | { kind: 'payment'; asOf: number; rank: number; releasedMinor: number; row: PaymentRow }
  | { kind: 'outcome'; asOf: number; row: CrmOutcomeRow }
  | ReadRefund

function rowsOf(told: Told[], receivedAt: number): Row[] | { failed: string } {
  try {
    return told.map((one) => rowOf(one, receivedAt))
  } catch (error) {
    if (error instanceof BadRow || error instanceof Unmappable) return { failed: error.message }
    throw error
  }
}

function rowOf(told: Told, receivedAt: number): Row {
  const asOf = asOfBy(told.asOf, receivedAt)
  if (told.kind === 'outcome') return { kind: 'outcome', asOf, row: read(CrmOutcomeRow, told.row, receivedAt) }
  if (told.kind === 'payment') {
    const row = read(PaymentRow, told.row, receivedAt)
    const releasedMinor = told.released ? minorOf(told.released, row.currency) : 0
    return { kind: 'payment', asOf, rank: told.rank ?? 0, releasedMinor, row }
  }
  const { refund } = told
  const currency = refund.currency.toUpperCase()
  const failed = refund.failed && { minor: minorOf(refund.failed.amount, currency), since: refund.failed.since }
  return {
    kind: 'refund',
    asOf,
    refund,
    told: { asOf, minor: minorOf(refund.amount, currency), currency, ...(failed && { failed }) },
  }
}

function read<Schema extends typeof PaymentRow | typeof CrmOutcomeRow>(
  schema: Schema,
  row: z.input<Schema>,
  receivedAt: number,
): z.output<Schema> {
  const parsed = schema.safeParse(row)
  if (!parsed.success) throw new Unmappable(describeIssue(parsed.error.issues[0]!))
  occurredAt(parsed.data.occurred_at, receivedAt)
  return parsed.data as z.output<Schema>
}

function minorOf(amount: string, currency: string): number {
  const minor = toMinor(amount, currency)
  if (!minor.ok) throw new Unmappable(`amount: ${minor.reason}`)
  return minor.value
}

async function factOf(row: Row, context: FactContext): Promise<Fact> {
  if (row.kind === 'payment') return paymentOf(row, context)
  if (row.kind === 'outcome') return outcomeOf(row, context)
  const id = ids.payment(context.profileId, row.refund.provider, row.refund.payment)
  return { ...row, isOfErased: (await context.toldOfErased(topics.payments, id)) !== undefined }
}

async function paymentOf(told: Extract<Row, { kind: 'payment' }>, context: FactContext): Promise<Fact> {
  const { row } = told
  const id = ids.payment(context.profileId, row.provider, row.external_id)
  const erased = await context.toldOfErased(topics.payments, id)
  if (!erased) return { ...told, payment: await toPayment(row, context), isOfErased: false }
  const { identifiers, traits, subject_ref_token } = erased
  const nobodys = await toPayment({ ...row, customer: null, subject_ref: null }, context)
  return { ...told, payment: { ...nobodys, identifiers, traits, subject_ref_token }, isOfErased: true }
}

async function outcomeOf(told: Extract<Row, { kind: 'outcome' }>, context: FactContext): Promise<Fact> {
  const { row } = told
  const id = ids.crmOutcome(context.profileId, row.provider, row.external_id)
  const erased = await context.toldOfErased(topics.crmOutcomes, id)
  if (!erased) return { ...told, outcome: await toCrmOutcome(row, context), isOfErased: false }
  const { identifiers, traits } = erased
  const nobodys = await toCrmOutcome({ ...row, contact: null }, context)
  return { ...told, outcome: { ...nobodys, identifiers, traits }, isOfErased: true }
}

/** A time ahead of ours would keep everything told later from counting: it is taken as the receipt's, as an event's is. */
function asOfBy(told: number, receivedAt: number): number {
  const corrected = correctTime(told, receivedAt)
  if (!corrected.ok) throw new Unmappable(`as_of: ${tooOld}`)
  return corrected.value.time
}
