import type pg from 'pg'
import { inCurrency, refundedMinor, type ToldRefund, type ToldRefunds, withRefund } from '../../domain/hooks/refunds.ts'
import { ownCodec } from '../../schemas/codec.ts'
import type { CrmOutcome, Payment } from '../../schemas/messages.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import type { Sql } from '../client.ts'

/** When something was true by its provider; of one moment the higher rank is the later, and of one rank what came last. */
export interface Moment {
  asOf: number
  rank: number
}

interface State {
  asOf: number | null
  rank: number
  message: Buffer | null
  refunds: ToldRefunds
}

/** Takes the state of one thing until the transaction ends; one that nothing was told of yet is empty. */
async function takeState(tx: pg.PoolClient, profileId: string, objectId: string): Promise<State> {
  await tx.query('INSERT INTO hook_states (profile_id, object_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    profileId,
    objectId,
  ])
  const { rows } = await tx.query<State>(
    `SELECT (extract(epoch FROM as_of) * 1000)::float8 AS "asOf", rank, message, refunds FROM hook_states
     WHERE profile_id = $1 AND object_id = $2 FOR UPDATE`,
    [profileId, objectId],
  )
  return rows[0]!
}

const keepState = (tx: pg.PoolClient, profileId: string, objectId: string, state: State) =>
  tx.query(
    `UPDATE hook_states SET as_of = to_timestamp($3::float8 / 1000), rank = $4, message = $5, refunds = $6
     WHERE profile_id = $1 AND object_id = $2`,
    [profileId, objectId, state.asOf, state.rank, state.message, JSON.stringify(state.refunds)],
  )

function decodeAs<Value>(topic: Topic<Value>, bytes: Buffer): Value {
  const decoded = ownCodec.decode(topic, bytes)
  if (decoded.kind === 'undecodable')
    throw new Error(`what was kept for ${topic.name} cannot be decoded: ${decoded.why}`)
  return decoded.value
}
const decode = (bytes: Buffer): Payment => decodeAs(topics.payments, bytes)

/** The newest telling of a payment or an outcome. */
export async function toldBefore<Value>(
  sql: Sql,
  topic: Topic<Value>,
  profileId: string,
  objectId: string,
): Promise<Value | undefined> {
  const { rows } = await sql.query<{ message: Buffer | null }>(
    'SELECT message FROM hook_states WHERE profile_id = $1 AND object_id = $2',
    [profileId, objectId],
  )
  const message = rows[0]?.message
  return message ? decodeAs(topic, message) : undefined
}

const withRefunds = (payment: Payment, asOf: number, refunds: ToldRefunds): Payment => ({
  ...payment,
  refunded_minor: refundedMinor({ minor: payment.refunded_minor, asOf }, refunds),
})

/** Told at the same moment, the one with more refunded is the later, since refunds only grow within a second. */
function isOlder(payment: Payment, { asOf, rank }: Moment, state: State): boolean {
  if (!state.message || state.asOf === null) return false
  if (asOf !== state.asOf) return asOf < state.asOf
  const refundedMore = payment.refunded_minor - decode(state.message).refunded_minor
  return refundedMore === 0 ? rank < state.rank : refundedMore < 0
}

/**
 * What to say about the payment now; undefined when something newer has been told. Of refunds that were told before it
 * `counted` are the deliveries of those that are in it now; those in another currency are given up, told by `misread`.
 */
export async function foldPayment(
  tx: pg.PoolClient,
  payment: Payment,
  moment: Moment,
  releasedMinor: number,
): Promise<{ payment: Payment; counted: string[]; misread: string[] } | undefined> {
  const { profile_id: profileId, payment_id: id } = payment
  const state = await takeState(tx, profileId, id)
  if (isOlder(payment, moment, state)) return undefined
  const { asOf, rank } = moment
  const { own, others } = inCurrency(state.refunds, payment.currency)
  const refunds = { ...own, 'u/': { asOf, minor: releasedMinor, currency: payment.currency } }
  await keepState(tx, profileId, id, { asOf, rank, message: ownCodec.encode(topics.payments, payment), refunds })
  const waited = state.message ? [] : Object.values(own)
  return { payment: withRefunds(payment, asOf, refunds), counted: deliveriesOf(waited), misread: deliveriesOf(others) }
}

const deliveriesOf = (refunds: ToldRefund[]) => refunds.flatMap(({ deliveryId }) => deliveryId ?? [])

export type FoldedRefund =
  | { kind: 'news'; payment: Payment | undefined }
  | { kind: 'old_news' }
  | { kind: 'other_currency' }

/** The payment with this refund; undefined while nothing is known of the payment. */
export async function foldRefund(
  tx: pg.PoolClient,
  payment: { profileId: string; id: string },
  refundId: string,
  told: ToldRefund,
): Promise<FoldedRefund> {
  const state = await takeState(tx, payment.profileId, payment.id)
  const known = state.message ? decode(state.message) : undefined
  if (known && known.currency !== told.currency) return { kind: 'other_currency' }
  const refunds = withRefund(state.refunds, refundId, told)
  if (refunds === state.refunds) return { kind: 'old_news' }
  await keepState(tx, payment.profileId, payment.id, { ...state, refunds })
  return { kind: 'news', payment: known && withRefunds(known, state.asOf!, refunds) }
}

/** Whether an outcome that is told as of a time is the newest word about it. */
export async function foldOutcome(tx: pg.PoolClient, outcome: CrmOutcome, asOf: number): Promise<boolean> {
  const { profile_id: profileId, outcome_event_id: id } = outcome
  const state = await takeState(tx, profileId, id)
  if (state.asOf !== null && asOf < state.asOf) return false
  const message = ownCodec.encode(topics.crmOutcomes, outcome)
  await keepState(tx, profileId, id, { ...state, asOf, message })
  return true
}
