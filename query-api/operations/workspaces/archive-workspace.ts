import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { archiveWorkspace as archive } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { WorkspacePath } from './workspace.ts'

export const archiveWorkspace = operation({
  id: 'archiveWorkspace',
  method: 'POST',
  url: '/workspaces/:workspaceId/archive',
  summary: 'Archive a workspace for good',
  description: 'Its profiles and their keys are no longer reached; invitations to it answer 410 `workspace_archived`.',
  tags: ['Workspaces'],
  auth: ['session', 'app'],
  grain: 'workspace',
  scopes: ['workspaces:write'],
  idempotency: 'natural',
  params: WorkspacePath,
  response: one(z.object({ id: z.uuid(), archived: z.literal(true) })),
  errors: ['forbidden'],
  handler: async ({ credential, workspace, postgres }) => {
    if (credential.kind !== 'app' && credential.role !== 'owner') {
      throw new ApiError('forbidden', 'Only an owner archives a workspace.')
    }
    await archive(postgres, workspace.id)
    return { id: workspace.id, archived: true as const }
  },
})
