import type { RevenueType } from '../schemas/messages.ts'

/** How far back touches take part in credit, unless a definition says otherwise. */
export const defaultLookbackDays = 30

export interface NewDefinition {
  conversionKey: string
  name: string
  revenueType: RevenueType
  eventTypes: string[]
}

const definition = (conversionKey: string, name: string, revenueType: RevenueType): NewDefinition => ({
  conversionKey,
  name,
  revenueType,
  eventTypes: [conversionKey],
})

/** What counts as a conversion in a new profile, until its owner says otherwise. */
export const defaultDefinitions: readonly NewDefinition[] = [
  definition('payment_received', 'Payment received', 'cash'),
  definition('lead_created', 'Lead created', 'pipeline'),
  definition('appointment_booked', 'Appointment booked', 'pipeline'),
  definition('quote_sent', 'Quote sent', 'pipeline'),
  definition('closed_won', 'Deal won', 'pipeline'),
  definition('dm_started', 'Conversation started', 'messaging'),
]
