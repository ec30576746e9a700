import { z } from 'zod'
import { knownClickIds } from '../../domain/click.ts'
import { ids } from '../../domain/ids.ts'
import type { Payment } from '../../schemas/messages.ts'
import { Amount, ClickIds, Currency, id, impersonal, minorOf, Time } from '../fields.ts'
import { sealParties } from '../person.ts'
import { Contact, type ImportContext, occurredAt, Provider, personOf, SubjectRef } from './row.ts'

/** A payment as its provider tells it; a later row replaces it. `refunded_amount` is all that was refunded so far. */
export const PaymentRow = z
  .object({
    provider: Provider,
    external_id: impersonal(id(200)),
    occurred_at: Time,
    amount: Amount,
    currency: Currency,
    refunded_amount: Amount.nullish(),
    customer: Contact.nullish(),
    subject_ref: SubjectRef.nullish(),
    click_ids: ClickIds.nullish(),
  })
  .transform((row, context) => ({
    ...row,
    amount_minor: minorOf(context, ['amount'], row.amount, row.currency),
    refunded_minor: minorOf(context, ['refunded_amount'], row.refunded_amount ?? 0, row.currency),
  }))
export type PaymentRow = z.output<typeof PaymentRow>

/** Their customers are those of a store, whoever moved the money. */
const stores = new Set(['shopify', 'woocommerce', 'magento', 'prestashop', 'bigcommerce'])

export async function toPayment(row: PaymentRow, context: ImportContext): Promise<Payment> {
  const { profileId, receivedAt, vault, onRefused } = context
  const time = occurredAt(row.occurred_at, receivedAt)
  const person = personOf(
    row.customer,
    row.provider,
    stores.has(row.provider) ? 'store_customer_id' : 'payments_customer_id',
  )
  const sealed = await sealParties(vault, profileId, { person, subjectRef: row.subject_ref ?? null }, onRefused)
  return {
    profile_id: profileId,
    payment_id: ids.payment(profileId, row.provider, row.external_id),
    provider: row.provider,
    external_id: row.external_id,
    ...time,
    received_at: receivedAt,
    amount_minor: row.amount_minor,
    currency: row.currency,
    refunded_minor: row.refunded_minor,
    subject_ref_token: sealed.subjectRefToken,
    click_ids: knownClickIds(row.click_ids ?? {}),
    ...sealed.person,
  }
}
