import type pg from 'pg'
import type { PaymentRow } from '../../../clickhouse/queries/payments.ts'
import { storedRequestId } from '../../../http/request-id.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import {
  lockPayment,
  noActions,
  type PaymentRef,
  type StandingActions,
  standingActions,
} from '../../../postgres/stores/payment-actions.ts'
import { type PaymentDeps, storedPayment } from './payment.ts'

interface Decision {
  tx: pg.PoolClient
  payment: PaymentRef
  /** What merchants have decided about it so far. */
  standing: StandingActions
  /** The payment as its sender told it. */
  row: PaymentRow
}

/** Decides about a payment under its lock, so that of two decisions the second knows of the first. */
export async function decide<Result>(
  deps: PaymentDeps,
  paymentId: string,
  request: { id: string },
  decision: (about: Decision) => Promise<Result>,
): Promise<{ row: PaymentRow; result: Result }> {
  const { profile, credential, postgres } = deps
  const row = await storedPayment(deps, paymentId)
  const by = {
    credentialKind: credential.kind,
    credentialId: credential.id,
    appId: credential.appId,
    requestId: storedRequestId(request),
  }
  const payment = { profileId: profile.id, paymentId: row.payment_id, by }
  const result = await asProfile(postgres, profile.id, async (tx) => {
    await lockPayment(tx, payment)
    const standing = (await standingActions(tx, profile.id, [row.payment_id])).get(row.payment_id) ?? noActions
    return decision({ tx, payment, standing, row })
  })
  return { row, result }
}
