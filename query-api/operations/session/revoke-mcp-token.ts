import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { revokeMcpToken as revoke } from '../../../postgres/stores/mcp-tokens.ts'
import { operation } from '../../session-operation.ts'
import { personOf } from './person-of.ts'

export const revokeMcpToken = operation({
  id: 'revokeMcpToken',
  method: 'DELETE',
  url: '/session/mcp-tokens/:tokenId',
  summary: 'Revoke an MCP token',
  tags: ['Session'],
  ownAccount: true,
  idempotency: 'natural',
  params: z.object({ tokenId: z.string() }),
  response: one(z.object({ id: z.uuid(), revoked: z.literal(true) })),
  errors: ['not_found'],
  handler: async ({ params, credential, postgres }) => {
    const isRevoked = await revoke(postgres, personOf(credential), params.tokenId)
    if (!isRevoked) throw new ApiError('not_found', 'There is no such token.')
    return { id: params.tokenId, revoked: true as const }
  },
})
