import { z } from 'zod'
import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listDefinitions } from '../../../postgres/stores/definitions.ts'
import { operation } from '../../operation.ts'
import { ConversionKey, fields } from './definition.ts'

const Goal = z
  .object({
    goal: ConversionKey.describe('What to send as `goal` where a read asks for one.'),
    name: fields.name,
    revenue_type: fields.revenue_type,
    is_default: fields.is_default,
  })
  .meta({ id: 'Goal' })

export const listGoals = operation({
  id: 'listGoals',
  method: 'GET',
  url: '/goals',
  summary: 'List the goals that a report or a customer list can ask for',
  description: 'Headline goals first. What each counts is in `GET /goals/definitions`.',
  tags: ['Goals'],
  scopes: ['analytics:read'],
  response: page(Goal),
  handler: async ({ profile, postgres }) => {
    const definitions = await asProfile(postgres, profile.id, (tx) => listDefinitions(tx, profile.id))
    return definitions.map(({ conversionKey, name, revenueType, isDefault }) => ({
      goal: conversionKey,
      name,
      revenue_type: revenueType,
      is_default: isDefault,
    }))
  },
})
