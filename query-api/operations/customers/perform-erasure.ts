import type { z } from 'zod'
import { ApiError, fieldError, type ReplyMeta } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { eraseCustomer } from '../../../postgres/stores/erasures.ts'
import type { IdentityDeps } from '../../identity-operation.ts'
import { type ErasureReceipt, toErasureReceipt } from './erasure-receipt.ts'
import { type ErasureFields, erasureSelector } from './erasure-request.ts'

/** Erases and answers, whoever asked: 202 for what was erased now, 200 for what had been. */
export async function performErasure(
  { postgres, vault, erasureSecrets }: Pick<IdentityDeps, 'postgres' | 'vault' | 'erasureSecrets'>,
  profileId: string,
  body: ErasureFields,
  requestedBy: string,
  reply: ReplyMeta,
): Promise<z.input<typeof ErasureReceipt>> {
  const selector = erasureSelector(body)
  const { request_ref: requestRef, reason } = body
  const outcome = await asProfile(postgres, profileId, (tx) =>
    eraseCustomer(tx, erasureSecrets, profileId, { requestRef, selector, reason, requestedBy }),
  )
  // Other processes hear of it; this one must not wait for the news.
  if (outcome.kind === 'erased') vault.forget(profileId)
  switch (outcome.kind) {
    case 'not_found':
      throw new ApiError('customer_not_found')
    case 'ref_taken':
      throw badRef('was used with another selector')
    case 'ref_names_customer':
      throw badRef('must not hold an identifier of the customer')
    case 'known':
      reply.status(200)
  }
  return toErasureReceipt(outcome.receipt)
}

const badRef = (message: string) => fieldError('invalid_parameter', 'request_ref', message)
