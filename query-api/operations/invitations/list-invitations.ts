import { page } from '../../../http/operation.ts'
import { listInvitations as list } from '../../../postgres/stores/invitations.ts'
import { operation } from '../../operation.ts'
import { checkGovernsWorkspace } from '../workspaces/governing.ts'
import { WorkspacePath } from '../workspaces/workspace.ts'
import { Invitation, toInvitation } from './invitation.ts'

export const listInvitations = operation({
  id: 'listInvitations',
  method: 'GET',
  url: '/workspaces/:workspaceId/invitations',
  summary: 'List the invitations to a workspace',
  description: 'Newest first, the last 1,000.',
  tags: ['Invitations'],
  auth: ['session'],
  grain: 'workspace',
  scopes: ['workspaces:write'],
  params: WorkspacePath,
  response: page(Invitation),
  handler: async ({ credential, workspace, postgres }) => {
    checkGovernsWorkspace(credential, workspace)
    return (await list(postgres, workspace.id)).map(toInvitation)
  },
})
