import type pg from 'pg'
import type { PaymentAction } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import { enqueue } from './outbox.ts'

type Kind = 'installment' | 'payer' | 'refund'

export interface PaymentRef {
  profileId: string
  paymentId: string
}

/** A payment marked as a later installment is never a first payment. */
export const markInstallment = (tx: pg.PoolClient, payment: PaymentRef, isInstallment: boolean) =>
  act(
    tx,
    payment,
    'installment',
    { is_installment: isInstallment },
    {
      'touchline.InstallmentMark': { is_installment: isInstallment },
    },
  )

/** The payment counts for the customer that this subject belongs to; null gives it back to whom the sender named. */
export const assignPayer = (tx: pg.PoolClient, payment: PaymentRef, subjectId: string | null) =>
  act(tx, payment, 'payer', { payer_subject_id: subjectId }, { 'touchline.PayerAssignment': { subject_id: subjectId } })

/** What was refunded outside the provider, in all; 0 takes it back. */
export const recordRefund = (tx: pg.PoolClient, payment: PaymentRef, amountMinor: number) =>
  act(
    tx,
    payment,
    'refund',
    { refunded_minor: amountMinor },
    { 'touchline.ManualRefund': { amount_minor: amountMinor } },
  )

interface Columns {
  is_installment?: boolean
  payer_subject_id?: string | null
  refunded_minor?: number
}

/** The action and its message commit together; the version tells the newest of a kind. */
async function act(
  tx: pg.PoolClient,
  { profileId, paymentId }: PaymentRef,
  kind: Kind,
  columns: Columns,
  value: PaymentAction['value'],
): Promise<void> {
  const { rows } = await tx.query<{ version: string }>(
    `INSERT INTO payment_actions (profile_id, payment_id, kind, is_installment, payer_subject_id, refunded_minor)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (profile_id, payment_id, kind) DO UPDATE SET is_installment = excluded.is_installment,
       payer_subject_id = excluded.payer_subject_id, refunded_minor = excluded.refunded_minor,
       version = payment_actions.version + 1, updated_at = now()
     RETURNING version`,
    [
      profileId,
      paymentId,
      kind,
      columns.is_installment ?? null,
      columns.payer_subject_id ?? null,
      columns.refunded_minor ?? null,
    ],
  )
  await enqueue(tx, topics.paymentActions, {
    profile_id: profileId,
    payment_id: paymentId,
    version: Number(rows[0]!.version),
    value,
  })
}
