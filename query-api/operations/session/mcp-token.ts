import { z } from 'zod'
import type { McpToken as Stored } from '../../../postgres/stores/mcp-tokens.ts'

export const McpToken = z
  .object({
    id: z.uuid(),
    name: z.string(),
    scopes: z.array(z.string()),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'McpToken' })

export const toMcpToken = (stored: Stored): z.infer<typeof McpToken> => ({
  id: stored.id,
  name: stored.name,
  scopes: stored.scopes,
  created_at: stored.createdAt.toISOString(),
  expires_at: stored.expiresAt.toISOString(),
  last_used_at: stored.lastUsedAt?.toISOString() ?? null,
})
