import { ApiError, one } from '../../../http/operation.ts'
import { readWorkspace as read } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { toWorkspace, Workspace, WorkspacePath } from './workspace.ts'

export const readWorkspace = operation({
  id: 'readWorkspace',
  method: 'GET',
  url: '/workspaces/:workspaceId',
  summary: 'Read a workspace',
  tags: ['Workspaces'],
  auth: ['session', 'mcp', 'app'],
  grain: 'workspace',
  scopes: ['analytics:read', 'workspaces:write'],
  params: WorkspacePath,
  response: one(Workspace),
  handler: async ({ workspace, postgres }) => {
    const found = await read(postgres, workspace.id)
    if (!found) throw new ApiError('not_found', 'There is no such workspace.')
    return toWorkspace(found)
  },
})
