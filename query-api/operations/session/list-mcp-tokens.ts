import { page } from '../../../http/operation.ts'
import { listMcpTokens as list } from '../../../postgres/stores/mcp-tokens.ts'
import { operation } from '../../session-operation.ts'
import { McpToken, toMcpToken } from './mcp-token.ts'
import { personOf } from './person-of.ts'

export const listMcpTokens = operation({
  id: 'listMcpTokens',
  method: 'GET',
  url: '/session/mcp-tokens',
  summary: 'List the own MCP tokens',
  tags: ['Session'],
  ownAccount: true,
  response: page(McpToken),
  handler: async ({ credential, postgres }) => (await list(postgres, personOf(credential))).map(toMcpToken),
})
