import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { HookSeals } from '../../domain/hooks/secrets.ts'
import { normalise } from '../../domain/identifiers.ts'
import { ids } from '../../domain/ids.ts'
import { toMinor } from '../../domain/money.ts'
import { seal, sealingContext } from '../../domain/sealing.ts'
import { correctTime } from '../../domain/time.ts'
import { transaction } from '../../postgres/client.ts'
import { recordDelivery, settleDelivery, type Verdict } from '../../postgres/stores/hook-deliveries.ts'
import type { HookEndpoint } from '../../postgres/stores/hook-endpoints.ts'
import { foldOutcome, foldPayment, foldRefund } from '../../postgres/stores/hook-states.ts'
import { enqueue } from '../../postgres/stores/outbox.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { CrmOutcome, Identifier, Payment } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import { CrmOutcomeRow, toCrmOutcome } from '../imports/crm-outcomes.ts'
import { PaymentRow, toPayment } from '../imports/payments.ts'
import { BadRow, type ImportContext } from '../imports/row.ts'
import { describeIssue } from '../issues.ts'
import type { OnRefused } from '../person.ts'
import { type Notification, type Received, type Refund, type Told, Unmappable } from './notification.ts'
import { hookProviders } from './providers.ts'

export interface HookDeps {
  postgres: pg.Pool
  vault: Vault
  hookSeals: HookSeals
  onRefused?: OnRefused
}

export type Taken = { status: Verdict['status'] | 'duplicate'; deliveryId: string | null }

type Fact =
  | { kind: 'payment'; asOf: number; payment: Payment }
  | { kind: 'outcome'; asOf: number; outcome: CrmOutcome }
  | { kind: 'refund'; asOf: number; refund: Refund; minor: number; currency: string }

/** A genuine notification: kept as it came, and told to the pipeline, in one transaction before it is answered. */
export async function takeDelivery(deps: HookDeps, endpoint: HookEndpoint, received: Received): Promise<Taken> {
  const read = readNotification(endpoint, received)
  const context: ImportContext = {
    profileId: endpoint.profileId,
    receivedAt: received.receivedAt,
    vault: deps.vault,
    ...(deps.onRefused && { onRefused: deps.onRefused }),
  }
  const facts = await factsOf(read, context)
  const id = randomUUID()
  const named = await namedIn(deps.vault, endpoint.profileId, facts, received.body)
  const delivery = {
    id,
    profileId: endpoint.profileId,
    endpointId: endpoint.id,
    key: createHash('sha256')
      .update(read.key ?? received.body)
      .digest(),
    topic: read.topic,
    toldAt: new Date(received.receivedAt),
    tokens: named.tokens,
    ...(named.key
      ? {
          sealed: seal(named.key.key, sealingContext(endpoint.profileId, named.key.token, 'payload'), received.body),
          sealedUnder: named.key.token,
        }
      : { sealed: deps.hookSeals.sealPayload(id, received.body), sealedUnder: null }),
  }
  return transaction(deps.postgres, async (tx): Promise<Taken> => {
    const first: Verdict =
      'failed' in facts
        ? { status: 'unmappable', reason: facts.failed, messages: 0 }
        : { status: 'ignored', reason: read.ignored ?? null, messages: 0 }
    if (!(await recordDelivery(tx, delivery, first))) return { status: 'duplicate', deliveryId: null }
    if ('failed' in facts || facts.length === 0) return { status: first.status, deliveryId: id }
    const verdict = await tell(tx, delivery, facts, received.receivedAt)
    await settleDelivery(tx, id, verdict)
    return { status: verdict.status, deliveryId: id }
  })
}

type Reading = Omit<Notification, 'key'> & { key: string | undefined; failed?: string }

function readNotification(endpoint: HookEndpoint, received: Received): Reading {
  try {
    return hookProviders[endpoint.provider].read(received)
  } catch (error) {
    if (!(error instanceof Unmappable)) throw error
    return { topic: error.topic, key: error.key, told: [], failed: error.message }
  }
}

/** Rows become messages as an import's do; one that breaks a rule makes the notification unmappable, and nothing is told. */
async function factsOf({ told, failed }: Reading, context: ImportContext): Promise<Fact[] | { failed: string }> {
  if (failed !== undefined) return { failed }
  try {
    return await Promise.all(told.map((one) => factOf(one, context)))
  } catch (error) {
    if (error instanceof BadRow || error instanceof Unmappable) return { failed: error.message }
    throw error
  }
}

async function factOf(told: Told, context: ImportContext): Promise<Fact> {
  const asOf = asOfBy(told.asOf, context.receivedAt)
  if (told.kind === 'payment') {
    const parsed = PaymentRow.safeParse(told.row)
    if (!parsed.success) throw new Unmappable(describeIssue(parsed.error.issues[0]!))
    return { kind: 'payment', asOf, payment: await toPayment(parsed.data, context) }
  }
  if (told.kind === 'outcome') {
    const parsed = CrmOutcomeRow.safeParse(told.row)
    if (!parsed.success) throw new Unmappable(describeIssue(parsed.error.issues[0]!))
    return { kind: 'outcome', asOf, outcome: await toCrmOutcome(parsed.data, context) }
  }
  const currency = told.refund.currency.toUpperCase()
  const minor = toMinor(told.refund.amount, currency)
  if (!minor.ok) throw new Unmappable(`amount: ${minor.reason}`)
  return { kind: 'refund', asOf, refund: told.refund, minor: minor.value, currency }
}

/** A time ahead of ours would keep everything told later from counting: it is taken as the receipt's, as an event's is. */
function asOfBy(told: number, receivedAt: number): number {
  const corrected = correctTime(told, receivedAt)
  if (!corrected.ok) throw new Unmappable('as_of: must not be older than two years')
  return corrected.value.time
}

const otherCurrency: Verdict = { status: 'unmappable', reason: 'currency: must be that of the payment', messages: 0 }

async function tell(
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
      const isNews = await foldOutcome(tx, { profileId, id: outcome.outcome_event_id }, fact.asOf)
      if (!isNews) continue
      await enqueue(tx, topics.crmOutcomes, outcome)
      messages++
      news++
    } else if (fact.kind === 'payment') {
      const folded = await foldPayment(tx, fact.payment, fact.asOf)
      if (!folded) continue
      news++
      await pay(folded.payment)
      for (const misread of folded.misread) await settleDelivery(tx, misread, otherCurrency)
    } else {
      const { provider, payment, id, isDispute } = fact.refund
      const told = { asOf: fact.asOf, minor: fact.minor, currency: fact.currency, deliveryId }
      const target = { profileId, id: ids.payment(profileId, provider, payment) }
      const folded = await foldRefund(tx, target, `${isDispute ? 'd' : 'r'}/${id}`, told)
      if (folded.kind === 'other_currency') return otherCurrency
      if (folded.kind === 'old_news') continue
      news++
      await pay(folded.payment)
    }
  }
  if (news === 0) return { status: 'superseded', reason: 'older_than_known', messages }
  return { status: 'mapped', reason: messages === 0 ? 'payment_not_told_yet' : null, messages }
}

const emailShape = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}/g
const maxEmails = 20

/** Everybody in it: who the messages are about, and any e-mail address that stands anywhere else in the payload. */
async function namedIn(vault: Vault, profileId: string, facts: Fact[] | { failed: string }, body: Buffer) {
  const identifiers = 'failed' in facts ? [] : facts.flatMap(identifiersOf)
  const written = [...new Set(body.toString('utf8').match(emailShape) ?? [])].slice(0, maxEmails)
  const emails = written.flatMap((text) => {
    const email = normalise('email', text, { country: null })
    return email.ok ? [{ type: 'email' as const, value: email.value }] : []
  })
  const found = emails.length > 0 ? await vault.tokens(profileId, emails) : []
  const tokens = [...new Set([...identifiers.map(({ token }) => token), ...found.map(({ token }) => token)])]
  if (tokens.length === 0) return { tokens, key: undefined }
  const keys = await vault.keys(tokens.map((token) => ({ profileId, token })))
  // An erased key seals nothing; the payload then stays under the service's own until it is swept.
  const token = tokens.find((one) => keys.has(one))
  return { tokens, key: token ? { token, key: keys.get(token)! } : undefined }
}

const identifiersOf = (fact: Fact): Identifier[] =>
  fact.kind === 'payment' ? fact.payment.identifiers : fact.kind === 'outcome' ? fact.outcome.identifiers : []
