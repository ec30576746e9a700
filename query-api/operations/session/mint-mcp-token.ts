import { z } from 'zod'
import type { Scope as ScopeName } from '../../../domain/scopes.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { transaction } from '../../../postgres/client.ts'
import { createMcpToken, mostMcpTokens } from '../../../postgres/stores/mcp-tokens.ts'
import { operation } from '../../session-operation.ts'
import { Scope } from '../keys/key.ts'
import { McpToken, toMcpToken } from './mcp-token.ts'
import { personOf } from './person-of.ts'

const byDefault: ScopeName[] = ['mcp:read']

export const mintMcpToken = operation({
  id: 'mintMcpToken',
  method: 'POST',
  url: '/session/mcp-tokens',
  summary: 'Mint a token for an MCP client',
  description:
    'The token acts for the person, within their role, on any profile of their workspaces. By default it reads, persons excepted. It is shown once.',
  tags: ['Session'],
  ownAccount: true,
  body: z.object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .meta({ examples: ['Laptop'] }),
    scopes: z.array(Scope).min(1).max(30).default(byDefault),
    expires_in_days: z.int().min(1).max(365).default(90),
  }),
  response: one(McpToken.extend({ token: z.string() }).meta({ id: 'MintedMcpToken' })),
  status: 201,
  errors: ['invalid_state'],
  handler: async ({ body, credential, postgres, tokens }) => {
    const userId = personOf(credential)
    const scopes = [...new Set(body.scopes)]
    const token = await transaction(postgres, (tx) =>
      createMcpToken(tx, { userId, name: body.name, scopes, days: body.expires_in_days }),
    )
    if (!token) throw new ApiError('invalid_state', `A person has at most ${mostMcpTokens} tokens: revoke one first.`)
    const text = await tokens.issue({ kind: 'mcp', subject: userId, id: token.id, scopes }, token.expiresAt)
    return { ...toMcpToken(token), token: text }
  },
})
