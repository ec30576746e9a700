import { z } from 'zod'
import type { Grant as Stored } from '../../../postgres/stores/grants.ts'

export const Grant = z
  .object({
    app_id: z.uuid(),
    app_name: z.string(),
    scopes: z.array(z.string()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Grant', description: 'What an app may do on a profile.' })

export const toGrant = (grant: Stored): z.infer<typeof Grant> => ({
  app_id: grant.appId,
  app_name: grant.appName,
  scopes: grant.scopes,
  created_at: grant.createdAt.toISOString(),
  updated_at: grant.updatedAt.toISOString(),
})
