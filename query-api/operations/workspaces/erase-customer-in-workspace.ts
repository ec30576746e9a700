import { z } from 'zod'
import { isAdministrator } from '../../../domain/roles.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { readProfile } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../identity-operation.ts'
import { ErasureReceipt } from '../customers/erasure-receipt.ts'
import { checkSelectors, erasureFields } from '../customers/erasure-request.ts'
import { performErasure } from '../customers/perform-erasure.ts'
import { WorkspacePath } from './workspace.ts'

export const eraseCustomerInWorkspace = operation({
  id: 'eraseCustomerInWorkspace',
  method: 'POST',
  url: '/workspaces/:workspaceId/customer-erasures',
  summary: 'Erase a customer from the console',
  description:
    'What an API key does with POST /customers/erasures, for a person who owns or administers the workspace; the profile ' +
    'is named in the body.',
  tags: ['Workspaces'],
  auth: ['session'],
  grain: 'workspace',
  // Whoever belongs to the workspace is told by their role, not by a scope, that this is for owners and admins.
  scopes: ['attribution:write', 'customers:read'],
  needsEntitlement: false,
  idempotency: 'natural',
  params: WorkspacePath,
  body: z
    .object({
      profile_id: z.uuid({ error: 'must be the id of a profile of the workspace' }),
      ...erasureFields,
    })
    .superRefine(checkSelectors)
    .meta({ id: 'ConsoleErasureRequest' }),
  onInvalid: { body: 'invalid_parameter' },
  response: one(ErasureReceipt),
  status: [202, 200],
  errors: ['invalid_parameter', 'forbidden', 'customer_not_found', 'not_found'],
  handler: async ({ body, workspace, credential, reply, ...deps }) => {
    if (!isAdministrator(credential.role)) {
      throw new ApiError('forbidden', 'Only owners and admins of a workspace may erase a customer.')
    }
    const profile = await readProfile(deps.postgres, body.profile_id)
    if (profile?.workspaceId !== workspace.id) throw new ApiError('not_found', 'There is no such profile.')
    return performErasure(deps, profile.id, body, `user:${credential.userId}`, reply)
  },
})
