import { z } from 'zod'
import { page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listHookEndpoints } from '../../../postgres/stores/hook-endpoints.ts'
import { operation } from '../../hook-operation.ts'
import { Endpoint, toEndpoint } from './endpoint.ts'

const ListedEndpoint = Endpoint.extend({
  last_delivery_at: z.iso.datetime().nullable().meta({ description: 'The last notification that it took.' }),
}).meta({ id: 'ListedHookEndpoint' })

export const listHooks = operation({
  id: 'listHooks',
  method: 'GET',
  url: '/hooks',
  summary: 'List the addresses for providers’ notifications',
  tags: ['Hooks'],
  scopes: ['connections:read'],
  response: page(ListedEndpoint),
  handler: async ({ profile, postgres, baseUrl }) => {
    const endpoints = await asProfile(postgres, profile.id, (tx) => listHookEndpoints(tx, profile.id))
    return endpoints.map((endpoint) => ({
      ...toEndpoint(endpoint, baseUrl),
      last_delivery_at: endpoint.lastDeliveryAt?.toISOString() ?? null,
    }))
  },
})
