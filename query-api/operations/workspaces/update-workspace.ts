import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { changeWorkspace, readWorkspace } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { checkGovernsWorkspace } from './governing.ts'
import { toWorkspace, Workspace, WorkspaceName, WorkspacePath } from './workspace.ts'

export const updateWorkspace = operation({
  id: 'updateWorkspace',
  method: 'PATCH',
  url: '/workspaces/:workspaceId',
  summary: 'Change a workspace',
  description:
    'Marked as a healthcare agency, all its profiles become healthcare profiles: delegated keys that read persons end at once.',
  tags: ['Workspaces'],
  auth: ['session', 'mcp', 'app'],
  grain: 'workspace',
  scopes: ['workspaces:write'],
  idempotency: 'natural',
  params: WorkspacePath,
  body: z.strictObject({ name: WorkspaceName.optional(), is_healthcare_agency: z.boolean().optional() }),
  response: one(Workspace),
  errors: ['forbidden'],
  handler: async ({ body, credential, workspace, postgres }) => {
    checkGovernsWorkspace(credential, workspace)
    const changed = await transaction(postgres, async (tx) => {
      await changeWorkspace(tx, workspace.id, { name: body.name, isHealthcareAgency: body.is_healthcare_agency })
      return readWorkspace(tx, workspace.id)
    })
    return toWorkspace(changed!)
  },
})
