import type pg from 'pg'
import { inCurrency, refundedMinor, type ToldRefund, type ToldRefunds, withRefund } from '../../domain/hooks/refunds.ts'
import { ownCodec } from '../../schemas/codec.ts'
import type { Payment } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'

interface State {
  asOf: number | null
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
    `SELECT (extract(epoch FROM as_of) * 1000)::float8 AS "asOf", message, refunds FROM hook_states
     WHERE profile_id = $1 AND object_id = $2 FOR UPDATE`,
    [profileId, objectId],
  )
  return rows[0]!
}

const keepState = (tx: pg.PoolClient, profileId: string, objectId: string, { asOf, message, refunds }: State) =>
  tx.query(
    `UPDATE hook_states SET as_of = to_timestamp($3::float8 / 1000), message = $4, refunds = $5
     WHERE profile_id = $1 AND object_id = $2`,
    [profileId, objectId, asOf, message, JSON.stringify(refunds)],
  )

const decode = (bytes: Buffer): Payment => {
  const decoded = ownCodec.decode(topics.payments, bytes)
  if (decoded.kind === 'undecodable') throw new Error(`a kept payment cannot be decoded: ${decoded.why}`)
  return decoded.value
}

const withRefunds = (payment: Payment, refunds: ToldRefunds): Payment => ({
  ...payment,
  refunded_minor: refundedMinor(payment.refunded_minor, refunds),
})

/**
 * What to say about the payment now; undefined when something newer has been told. Refunds that were told before it, in
 * another currency, are given up: `misread` are the deliveries that told of them.
 */
export async function foldPayment(
  tx: pg.PoolClient,
  payment: Payment,
  asOf: number,
): Promise<{ payment: Payment; misread: string[] } | undefined> {
  const { profile_id: profileId, payment_id: id } = payment
  const state = await takeState(tx, profileId, id)
  if (state.message && state.asOf !== null) {
    // Told at the same moment, the one with more refunded is the later: refunds only grow within a second.
    const isOlder =
      asOf < state.asOf || (asOf === state.asOf && payment.refunded_minor < decode(state.message).refunded_minor)
    if (isOlder) return undefined
  }
  const { own: refunds, others } = inCurrency(state.refunds, payment.currency)
  await keepState(tx, profileId, id, { asOf, message: ownCodec.encode(topics.payments, payment), refunds })
  const misread = others.flatMap(({ deliveryId }) => deliveryId ?? [])
  return { payment: withRefunds(payment, refunds), misread }
}

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
  return { kind: 'news', payment: known && withRefunds(known, refunds) }
}

/** Whether an outcome that is told as of a time is the newest word about it. */
export async function foldOutcome(
  tx: pg.PoolClient,
  outcome: { profileId: string; id: string },
  asOf: number,
): Promise<boolean> {
  const state = await takeState(tx, outcome.profileId, outcome.id)
  if (state.asOf !== null && asOf < state.asOf) return false
  await keepState(tx, outcome.profileId, outcome.id, { ...state, asOf })
  return true
}
