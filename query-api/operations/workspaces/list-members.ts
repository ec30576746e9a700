import { page } from '../../../http/operation.ts'
import { listMembers as list } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { Member, toMember, WorkspacePath } from './workspace.ts'

export const listMembers = operation({
  id: 'listMembers',
  method: 'GET',
  url: '/workspaces/:workspaceId/members',
  summary: 'List the people of a workspace',
  description: 'The first 1,000 by the day they joined.',
  tags: ['Workspaces'],
  auth: ['session'],
  grain: 'workspace',
  scopes: ['analytics:read'],
  params: WorkspacePath,
  response: page(Member),
  handler: async ({ workspace, postgres }) => (await list(postgres, workspace.id)).map(toMember),
})
