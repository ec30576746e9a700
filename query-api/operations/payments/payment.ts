import type pg from 'pg'
import { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { findPayment, type PaymentRow } from '../../../clickhouse/queries/payments.ts'
import type { Credential, Profile } from '../../../domain/credentials.ts'
import { fromMinor } from '../../../domain/money.ts'
import { ApiError } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import type { Sql } from '../../../postgres/client.ts'
import { type Payer, payersOf } from '../../../postgres/stores/payers.ts'
import { noActions, type StandingActions, standingActions } from '../../../postgres/stores/payment-actions.ts'

const Money = (description: string, example = '120.00') =>
  z.string().meta({ description: `${description} An exact decimal in the payment's currency.`, examples: [example] })

const PaymentPayer = z
  .object({
    customer_profile_id: z.uuid(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    primary_email: z.string().nullable(),
    primary_phone: z.string().nullable(),
  })
  .meta({ id: 'PaymentPayer' })

export const Payment = z
  .object({
    payment_id: z.uuid(),
    source: z
      .enum(['payment', 'server', 'crm', 'tracker'])
      .meta({ description: 'Who told of it: a payment provider, a server event, a CRM or the tracker.' }),
    provider: z
      .string()
      .nullable()
      .meta({ examples: ['stripe'] }),
    external_id: z.string().nullable().meta({ description: "The provider's own id; null where there is none." }),
    occurred_at: z.iso.datetime(),
    amount: Money('What was paid.'),
    net_amount: Money('What is left after every refund.', '100.00'),
    currency: z.string().meta({ examples: ['USD'] }),
    refunded_provider: Money('What the provider has reversed.', '0.00'),
    refunded_manual: Money('What was refunded outside the provider.', '20.00'),
    is_refund_capped: z.boolean().meta({
      description: 'Both refunds together are above the payment, as when the provider refunds after you did.',
    }),
    is_installment: z.boolean().meta({ description: 'Marked as a later installment: never a first payment.' }),
    is_first_payment: z.boolean().nullable().meta({ description: 'Null until it is derived.' }),
    is_payer_assigned: z.boolean().meta({ description: 'The merchant said who paid.' }),
    status: z.enum(['identified', 'unidentified']).meta({ description: 'Whether it is known who paid.' }),
    payer: PaymentPayer.nullable().meta({ description: 'Null when unknown, and without customers:read.' }),
  })
  .meta({ id: 'Payment', description: 'A payment with the merchant’s actions applied.' })
export type Payment = z.infer<typeof Payment>

export const paymentMeta = {
  payer_withheld: z.boolean().meta({ description: 'The credential lacks customers:read, so no payer is shown.' }),
}

/** Malformed is its own refusal (SPEC 7); well-formed and unknown is 404. */
export const PaymentParams = z.object({
  payment_id: z.guid({ error: 'must be the id of a payment' }).meta({ description: 'A payment_id of the list.' }),
})

export const mayReadPayers = (credential: Credential) => credential.scopes.has('customers:read')

export interface PaymentDeps {
  profile: Profile
  credential: Credential
  postgres: pg.Pool
  clickhouse: Warehouse
  persons(count: number): void
}

/** The payment as its sender told it. */
export async function storedPayment({ profile, clickhouse }: PaymentDeps, paymentId: string): Promise<PaymentRow> {
  const [row] = await clickhouse.run(findPayment, { profile: profile.id, payment: paymentId.toLowerCase() })
  if (!row?.is_match) throw new ApiError('not_found', 'This profile has no payment with that id.')
  return row
}

/** The answer of every operation on one payment. */
export async function describePayment(deps: PaymentDeps, row: PaymentRow) {
  const [data] = await asProfile(deps.postgres, deps.profile.id, (tx) => applyActions(tx, deps, [row]))
  deps.persons(data?.payer ? 1 : 0)
  return { data: data!, meta: { payer_withheld: !mayReadPayers(deps.credential) } }
}

/** Merchants' actions come from their owner, Postgres: what was decided a moment ago is applied already. */
export async function applyActions(
  sql: Sql,
  { profile, credential }: Pick<PaymentDeps, 'profile' | 'credential'>,
  rows: readonly PaymentRow[],
): Promise<Payment[]> {
  const actions = await standingActions(
    sql,
    profile.id,
    rows.map((row) => row.payment_id),
  )
  const customers = rows.map((row) => customerOf(row, actions.get(row.payment_id)))
  const known = customers.filter((id) => id !== null)
  const payers = mayReadPayers(credential) && known.length > 0 ? await payersOf(sql, profile.id, known) : undefined
  return rows.map((row, at) =>
    toPayment(row, actions.get(row.payment_id) ?? noActions, customers[at]!, payers?.get(customers[at] ?? '')),
  )
}

const customerOf = (row: PaymentRow, actions: StandingActions | undefined) =>
  actions?.payerSubjectId ? actions.payerCustomerId : row.customer_id

function toPayment(row: PaymentRow, actions: StandingActions, customer: string | null, payer?: Payer): Payment {
  const amount = row.amount_minor ?? 0n
  // Money in another currency than the payment's is not taken off it: it was refunded before the payment was told again.
  const byHand = (actions.refundCurrency ?? row.currency) === row.currency ? actions.refundedMinor : 0
  const refunded = row.refunded_minor + BigInt(byHand)
  const money = (minor: bigint | number) => fromMinor(minor, row.currency)
  return {
    payment_id: row.payment_id,
    source: row.source || 'server',
    provider: row.provider || null,
    external_id: row.external_id || null,
    occurred_at: row.occurred_at,
    amount: money(amount),
    net_amount: money(refunded > amount ? 0n : amount - refunded),
    currency: row.currency,
    refunded_provider: money(row.refunded_minor),
    refunded_manual: money(byHand),
    is_refund_capped: refunded > amount,
    is_installment: actions.isInstallment,
    is_first_payment: actions.isInstallment ? false : row.is_first_payment,
    is_payer_assigned: actions.payerSubjectId !== null,
    status: customer ? 'identified' : 'unidentified',
    payer: payer
      ? {
          customer_profile_id: payer.customerId,
          first_name: payer.firstName,
          last_name: payer.lastName,
          primary_email: payer.email,
          primary_phone: payer.phone,
        }
      : null,
  }
}
