import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listDefinitions } from '../../../postgres/stores/definitions.ts'
import { operation } from '../../operation.ts'
import { GoalDefinition, toGoalDefinition } from './definition.ts'

export const listGoalDefinitions = operation({
  id: 'listGoalDefinitions',
  method: 'GET',
  url: '/goals/definitions',
  summary: 'List the conversion definitions',
  description: 'All of them, headline goals first.',
  tags: ['Goals'],
  scopes: ['analytics:read'],
  response: page(GoalDefinition),
  handler: async ({ profile, postgres }) =>
    (await asProfile(postgres, profile.id, (tx) => listDefinitions(tx, profile.id))).map(toGoalDefinition),
})
