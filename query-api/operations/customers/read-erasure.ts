import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { readErasure as read } from '../../../postgres/stores/erasures.ts'
import { operation } from '../../identity-operation.ts'
import { ErasureReceipt, toErasureReceipt } from './erasure-receipt.ts'

export const readErasure = operation({
  id: 'readErasure',
  method: 'GET',
  url: '/customers/erasures/:erasure_id',
  summary: 'Read the receipt of an erasure',
  tags: ['Customers'],
  scopes: ['attribution:write', 'conversions:read'],
  params: z.object({ erasure_id: z.uuid() }),
  onInvalid: { params: 'erasure_not_found' },
  response: one(ErasureReceipt),
  errors: ['erasure_not_found'],
  handler: async ({ params, profile, postgres }) => {
    const receipt = await asProfile(postgres, profile.id, (tx) => read(tx, profile.id, params.erasure_id))
    if (!receipt) throw new ApiError('erasure_not_found')
    return toErasureReceipt(receipt)
  },
})
