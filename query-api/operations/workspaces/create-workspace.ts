import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { serveNobody } from '../../../postgres/as-profile.ts'
import { createWorkspace as create } from '../../../postgres/stores/tenancy.ts'
import { addMember } from '../../../postgres/stores/users.ts'
import { changeWorkspace, readWorkspace } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { toWorkspace, Workspace, WorkspaceName } from './workspace.ts'

export const createWorkspace = operation({
  id: 'createWorkspace',
  method: 'POST',
  url: '/workspaces',
  summary: 'Create a workspace',
  description: 'A person becomes its owner. One that an app creates is the app’s: the service e-mails nobody there.',
  tags: ['Workspaces'],
  auth: ['session', 'mcp', 'app'],
  grain: 'caller',
  scopes: ['workspaces:write'],
  idempotency: 'optional header',
  body: z.object({ name: WorkspaceName, is_healthcare_agency: z.boolean().default(false) }),
  response: one(Workspace),
  status: 201,
  handler: async ({ body, credential, execution }) => {
    const tx = await execution.transaction()
    await serveNobody(tx)
    const id = await create(tx, body.name, credential.appId ?? undefined)
    if (body.is_healthcare_agency) await changeWorkspace(tx, id, { isHealthcareAgency: true })
    if (credential.userId) await addMember(tx, id, credential.userId, 'owner')
    return toWorkspace((await readWorkspace(tx, id))!)
  },
})
