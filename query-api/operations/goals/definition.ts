import { z } from 'zod'
import { cleanText, hasEmail } from '../../../domain/text.ts'
import type { Definition as Stored } from '../../../postgres/stores/definitions.ts'
import { revenueTypes } from '../../../schemas/messages.ts'

export const ConversionKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, { error: 'must be lower-case letters, digits and _, at most 64, a letter first' })
  .meta({ description: 'What the conversion is called in reports and filters.', examples: ['demo_booked'] })

/** An event type as the collectors write it, so that what is listed here can match; a name keeps to the same. */
const Label = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => cleanText(text, 100) === text && !hasEmail(text), {
    error: 'must be 1 to 100 characters without control characters, outer spaces or e-mail addresses',
  })

/** What a definition says, each field on its own: which are required depends on the operation. */
export const fields = {
  name: Label.meta({ description: 'What people call it.', examples: ['Demo booked'] }),
  event_types: z
    .array(Label)
    .max(50)
    .refine((types) => new Set(types).size === types.length, { error: 'must not name a type twice' })
    .meta({
      description: 'The event types that count. A type belongs to one definition at most; none at all counts nothing.',
      examples: [['demo_booked', 'demo_requested']],
    }),
  revenue_type: z.enum(revenueTypes).meta({
    description: '`cash` is money received, `pipeline` an outcome on the way to it, `messaging` a conversation.',
  }),
  is_attribution_eligible: z.boolean().meta({ description: 'Whether its conversions are credited to ads.' }),
  lookback_window_days: z
    .int()
    .min(1)
    .max(366)
    .meta({ description: 'How many days back touches take part in credit.' }),
  is_default: z.boolean().meta({ description: 'Whether it is one of the headline goals, listed first.' }),
}

export const GoalDefinition = z
  .object({
    id: z.uuid(),
    conversion_key: ConversionKey,
    ...fields,
    version: z.int().meta({ description: 'One more at every change.' }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'GoalDefinition' })

export const toGoalDefinition = (stored: Stored): z.infer<typeof GoalDefinition> => ({
  id: stored.id,
  conversion_key: stored.conversionKey,
  name: stored.name,
  event_types: stored.eventTypes,
  revenue_type: stored.revenueType,
  is_attribution_eligible: stored.isAttributionEligible,
  lookback_window_days: stored.lookbackWindowDays,
  is_default: stored.isDefault,
  version: stored.version,
  created_at: stored.createdAt.toISOString(),
  updated_at: stored.updatedAt.toISOString(),
})
