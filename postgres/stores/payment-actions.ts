import type pg from 'pg'
import type { PaymentAction } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import type { Sql } from '../client.ts'
import { enqueue } from './outbox.ts'

export const actionKinds = ['installment', 'payer', 'refund'] as const
export type ActionKind = (typeof actionKinds)[number]

/** Whose decision it is. */
export interface Actor {
  credentialKind: string
  credentialId: string
  appId: string | null
  requestId: string | null
}

export interface PaymentRef {
  profileId: string
  paymentId: string
  by?: Actor
}

/** A payment marked as a later installment is never a first payment. */
export const markInstallment = (tx: pg.PoolClient, payment: PaymentRef, isInstallment: boolean) =>
  act(
    tx,
    payment,
    'installment',
    { is_installment: isInstallment },
    { 'touchline.InstallmentMark': { is_installment: isInstallment } },
  )

/** The payment counts for the customer that this subject belongs to; null gives it back to whom the sender named. */
export const assignPayer = (tx: pg.PoolClient, payment: PaymentRef, subjectId: string | null) =>
  act(tx, payment, 'payer', { payer_subject_id: subjectId }, { 'touchline.PayerAssignment': { subject_id: subjectId } })

/** What was refunded outside the provider, in all; 0 takes it back. */
export const recordRefund = (tx: pg.PoolClient, payment: PaymentRef, amountMinor: number, currency: string) =>
  act(
    tx,
    payment,
    'refund',
    { refunded_minor: amountMinor, refund_currency: currency },
    { 'touchline.ManualRefund': { amount_minor: amountMinor, currency } },
  )

/** Decisions about one payment wait for each other until the transaction ends. */
export const lockPayment = (tx: pg.PoolClient, { profileId, paymentId }: PaymentRef) =>
  tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`payment/${profileId}/${paymentId}`])

/** What stands about a payment. */
export interface StandingActions {
  isInstallment: boolean
  refundedMinor: number
  /** Null for the payment's own. */
  refundCurrency: string | null
  payerSubjectId: string | null
  /** The customer that the assigned payer's subject belongs to today. */
  payerCustomerId: string | null
  payerVersion: number
}

export const noActions: StandingActions = {
  isInstallment: false,
  refundedMinor: 0,
  refundCurrency: null,
  payerSubjectId: null,
  payerCustomerId: null,
  payerVersion: 0,
}

/** Of payments about which something was decided; the others have none. */
export async function standingActions(
  sql: Sql,
  profileId: string,
  paymentIds: readonly string[],
): Promise<Map<string, StandingActions>> {
  const { rows } = await sql.query<StandingActions & { paymentId: string }>(
    `SELECT a.payment_id AS "paymentId",
       coalesce(bool_or(a.is_installment), false) AS "isInstallment",
       coalesce(max(a.refunded_minor), 0)::float8 AS "refundedMinor",
       max(a.refund_currency) AS "refundCurrency",
       max(a.payer_subject_id::text) AS "payerSubjectId",
       max(i.customer_id::text) AS "payerCustomerId",
       coalesce(max(a.version) FILTER (WHERE a.kind = 'payer'), 0)::float8 AS "payerVersion"
     FROM payment_actions a
     LEFT JOIN identifiers i ON i.profile_id = a.profile_id AND i.token = a.payer_subject_id
     WHERE a.profile_id = $1 AND a.payment_id = ANY($2::uuid[])
     GROUP BY a.payment_id`,
    [profileId, paymentIds],
  )
  return new Map(rows.map(({ paymentId, ...actions }) => [paymentId, actions]))
}

export interface LoggedAction {
  kind: ActionKind
  at: Date
  isInstallment: boolean | null
  refundedMinor: number | null
  refundCurrency: string | null
  payerCustomerId: string | null
  credentialKind: string | null
  credentialId: string | null
  requestId: string | null
}

/** Every decision about a payment, newest first. */
export async function loggedActions(sql: Sql, profileId: string, paymentId: string): Promise<LoggedAction[]> {
  const { rows } = await sql.query<LoggedAction>(
    `SELECT l.kind, l.at, l.is_installment AS "isInstallment", l.refunded_minor::float8 AS "refundedMinor",
       l.refund_currency AS "refundCurrency", i.customer_id AS "payerCustomerId",
       l.credential_kind AS "credentialKind", l.credential_id AS "credentialId", l.request_id AS "requestId"
     FROM payment_action_log l
     LEFT JOIN identifiers i ON i.profile_id = l.profile_id AND i.token = l.payer_subject_id
     WHERE l.profile_id = $1 AND l.payment_id = $2 ORDER BY l.id DESC LIMIT 500`,
    [profileId, paymentId],
  )
  return rows
}

interface Columns {
  is_installment?: boolean
  payer_subject_id?: string | null
  refunded_minor?: number
  refund_currency?: string
}

/** The action, its line in the log and its message commit together; the version tells the newest of a kind. */
async function act(
  tx: pg.PoolClient,
  { profileId, paymentId, by }: PaymentRef,
  kind: ActionKind,
  columns: Columns,
  value: PaymentAction['value'],
): Promise<number> {
  const { rows } = await tx.query<{ version: string }>(
    `WITH standing AS (
       INSERT INTO payment_actions (profile_id, payment_id, kind, is_installment, payer_subject_id, refunded_minor,
         refund_currency)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (profile_id, payment_id, kind) DO UPDATE SET is_installment = excluded.is_installment,
         payer_subject_id = excluded.payer_subject_id, refunded_minor = excluded.refunded_minor,
         refund_currency = excluded.refund_currency, version = payment_actions.version + 1, updated_at = now()
       RETURNING *
     ), logged AS (
       INSERT INTO payment_action_log (profile_id, payment_id, kind, is_installment, payer_subject_id, refunded_minor,
         refund_currency, version, credential_kind, credential_id, app_id, request_id)
       SELECT profile_id, payment_id, kind, is_installment, payer_subject_id, refunded_minor, refund_currency, version,
         $8, $9, $10, $11
       FROM standing
     )
     SELECT version FROM standing`,
    [
      profileId,
      paymentId,
      kind,
      columns.is_installment ?? null,
      columns.payer_subject_id ?? null,
      columns.refunded_minor ?? null,
      columns.refund_currency ?? null,
      by?.credentialKind ?? null,
      by?.credentialId ?? null,
      by?.appId ?? null,
      by?.requestId ?? null,
    ],
  )
  const version = Number(rows[0]!.version)
  await enqueue(tx, topics.paymentActions, { profile_id: profileId, payment_id: paymentId, version, value })
  return version
}
