import { z } from 'zod'
import { page } from '../../../http/operation.ts'
import { listGrants as list } from '../../../postgres/stores/grants.ts'
import { operation } from '../../operation.ts'
import { Grant, toGrant } from './grant.ts'

export const listGrants = operation({
  id: 'listGrants',
  method: 'GET',
  url: '/profiles/:profileId/grants',
  summary: 'List which apps may act on a profile',
  tags: ['Grants'],
  auth: ['session'],
  scopes: ['analytics:read'],
  params: z.object({ profileId: z.string() }),
  response: page(Grant),
  handler: async ({ profile, postgres }) => (await list(postgres, profile.id)).map(toGrant),
})
