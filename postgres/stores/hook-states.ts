import type pg from 'pg'
import { refundedMinor, type ToldRefund, type ToldRefunds, withRefund } from '../../domain/hooks/refunds.ts'
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

/** What to say about the payment now; undefined when something newer has been told. */
export async function foldPayment(tx: pg.PoolClient, payment: Payment, asOf: number): Promise<Payment | undefined> {
  const { profile_id: profileId, payment_id: id } = payment
  const state = await takeState(tx, profileId, id)
  if (state.message && state.asOf !== null) {
    // Told at the same moment, the one with more refunded is the later: refunds only grow within a second.
    const isOlder =
      asOf < state.asOf || (asOf === state.asOf && payment.refunded_minor < decode(state.message).refunded_minor)
    if (isOlder) return undefined
  }
  await keepState(tx, profileId, id, { ...state, asOf, message: ownCodec.encode(topics.payments, payment) })
  return withRefunds(payment, state.refunds)
}

/** The payment with this refund; undefined while nothing is known of the payment, or when this refund is old news. */
export async function foldRefund(
  tx: pg.PoolClient,
  payment: { profileId: string; id: string },
  refundId: string,
  told: ToldRefund,
): Promise<{ isNews: boolean; payment: Payment | undefined }> {
  const state = await takeState(tx, payment.profileId, payment.id)
  const refunds = withRefund(state.refunds, refundId, told)
  if (refunds === state.refunds) return { isNews: false, payment: undefined }
  await keepState(tx, payment.profileId, payment.id, { ...state, refunds })
  return { isNews: true, payment: state.message ? withRefunds(decode(state.message), refunds) : undefined }
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
