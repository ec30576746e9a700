import { z } from 'zod'
import { defaultLookbackDays } from '../../../domain/default-definitions.ts'
import { ApiError, fieldError, one } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { changeDefinition } from './change-definition.ts'
import { fields, GoalDefinition, toGoalDefinition } from './definition.ts'

/** Creates only; its successor changes as well and lets the caller choose the key. */
export const createGoal = operation({
  id: 'createGoal',
  method: 'POST',
  url: '/goals',
  summary: 'Create a goal',
  description: 'Its `conversion_key` is made of the name. Use `POST /goals/definitions` instead.',
  tags: ['Goals'],
  scopes: ['goals:write'],
  deprecated: { since: '2026-09-05', sunset: '2026-12-04', successor: '/goals/definitions' },
  body: z
    .object({
      name: fields.name,
      event_types: fields.event_types.optional(),
      revenue_type: fields.revenue_type.default('pipeline'),
    })
    .meta({ id: 'SentGoal' }),
  response: one(GoalDefinition),
  status: 201,
  errors: ['invalid_state'],
  handler: async ({ body, profile, postgres }) => {
    const key = keyOf(body.name)
    const { definition } = await changeDefinition(postgres, profile.id, key, (present) => {
      if (present) {
        throw new ApiError('invalid_state', `There is a goal called ${key} already.`, { reason: 'duplicate_name' })
      }
      return {
        name: body.name,
        eventTypes: body.event_types ?? [key],
        revenueType: body.revenue_type,
        isAttributionEligible: true,
        lookbackWindowDays: defaultLookbackDays,
        isDefault: false,
      }
    })
    return toGoalDefinition(definition)
  },
})

/** `Première démo (web)` → `premiere_demo_web`. */
function keyOf(name: string): string {
  const key = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
    .slice(0, 64)
  if (key) return key
  throw fieldError('validation_error', 'name', 'must hold a Latin letter, which the conversion key is made of')
}
