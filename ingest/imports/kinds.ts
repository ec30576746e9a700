import type { z } from 'zod'
import type { Topic } from '../../schemas/topics.ts'
import { topics } from '../../schemas/topics.ts'
import { AdDeliveryRow, toAdDelivery } from './ad-delivery.ts'
import { CrmOutcomeRow, toCrmOutcome } from './crm-outcomes.ts'
import { PaymentRow, toPayment } from './payments.ts'
import type { ImportContext } from './row.ts'

export interface ImportKind<Row, Message> {
  row: z.ZodType<Row>
  topic: Topic<Message>
  toMessage(row: Row, context: ImportContext): Promise<Message> | Message
}

const kind = <Row, Message>(definition: ImportKind<Row, Message>): ImportKind<unknown, never> =>
  definition as unknown as ImportKind<unknown, never>

/** Every kind of row that can be imported, by the name that the command line knows it by. */
export const importKinds = {
  'ad-delivery': kind({ row: AdDeliveryRow, topic: topics.adDelivery, toMessage: toAdDelivery }),
  'crm-outcomes': kind({ row: CrmOutcomeRow, topic: topics.crmOutcomes, toMessage: toCrmOutcome }),
  payments: kind({ row: PaymentRow, topic: topics.payments, toMessage: toPayment }),
} as const
export type ImportKindName = keyof typeof importKinds
