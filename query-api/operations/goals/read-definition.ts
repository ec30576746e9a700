import { z } from 'zod'
import { isUuid } from '../../../domain/ids.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findDefinition } from '../../../postgres/stores/definitions.ts'
import { operation } from '../../operation.ts'
import { GoalDefinition, toGoalDefinition } from './definition.ts'

export const readGoalDefinition = operation({
  id: 'readGoalDefinition',
  method: 'GET',
  url: '/goals/definitions/:id',
  summary: 'Read a conversion definition',
  tags: ['Goals'],
  scopes: ['analytics:read'],
  // Any text: a malformed id answers like an unknown one.
  params: z.object({ id: z.string().meta({ examples: ['3f0f2c2e-8d2b-4b46-9a52-0d3b0c8f2a11'] }) }),
  response: one(GoalDefinition),
  errors: ['not_found'],
  handler: async ({ params, profile, postgres }) => {
    const found = isUuid(params.id)
      ? await asProfile(postgres, profile.id, (tx) => findDefinition(tx, profile.id, params.id))
      : undefined
    if (!found) throw new ApiError('not_found', 'This profile has no conversion definition with that id.')
    return toGoalDefinition(found)
  },
})
