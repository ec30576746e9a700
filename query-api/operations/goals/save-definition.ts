import { z } from 'zod'
import { defaultLookbackDays } from '../../../domain/default-definitions.ts'
import { fieldError, one } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { changeDefinition } from './change-definition.ts'
import { ConversionKey, fields, GoalDefinition, toGoalDefinition } from './definition.ts'

const SentDefinition = z
  .object({
    conversion_key: ConversionKey,
    name: fields.name.optional(),
    event_types: fields.event_types.optional(),
    revenue_type: fields.revenue_type.optional(),
    is_attribution_eligible: fields.is_attribution_eligible.optional(),
    lookback_window_days: fields.lookback_window_days.optional(),
    is_default: fields.is_default.optional(),
  })
  .meta({ id: 'SentGoalDefinition' })

export const saveGoalDefinition = operation({
  id: 'saveGoalDefinition',
  method: 'POST',
  url: '/goals/definitions',
  summary: 'Create or change a conversion definition',
  description:
    'Found by `conversion_key`: a new one answers 201 and needs `name` and `revenue_type` (`event_types` are the key ' +
    'itself unless given), one that exists answers 200 and keeps what the request leaves out. Credit is derived again.',
  tags: ['Goals'],
  scopes: ['goals:write'],
  idempotency: 'natural',
  body: SentDefinition,
  response: one(GoalDefinition),
  status: [200, 201],
  errors: ['invalid_state'],
  handler: async ({ body, profile, postgres, reply }) => {
    const { definition, isNew } = await changeDefinition(postgres, profile.id, body.conversion_key, (present) => ({
      name: body.name ?? present?.name ?? missing('name'),
      eventTypes: body.event_types ?? present?.eventTypes ?? [body.conversion_key],
      revenueType: body.revenue_type ?? present?.revenueType ?? missing('revenue_type'),
      isAttributionEligible: body.is_attribution_eligible ?? present?.isAttributionEligible ?? true,
      lookbackWindowDays: body.lookback_window_days ?? present?.lookbackWindowDays ?? defaultLookbackDays,
      isDefault: body.is_default ?? present?.isDefault ?? false,
    }))
    if (isNew) reply.status(201)
    return toGoalDefinition(definition)
  },
})

function missing(field: string): never {
  throw fieldError('validation_error', field, 'is required for a new definition')
}
