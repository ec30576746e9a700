import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { eraseCustomer as erase } from '../../../postgres/stores/erasures.ts'
import { identityOperation } from '../../identity-operation.ts'
import { ErasureReceipt, toErasureReceipt } from './erasure-receipt.ts'
import { ErasureRequestBody, erasureSelector } from './erasure-request.ts'

export const eraseCustomer = identityOperation({
  id: 'eraseCustomer',
  method: 'POST',
  url: '/customers/erasures',
  summary: 'Erase a customer',
  description:
    'Removes name, e-mail, phone and every identifier. Conversions, touches and credit stay without the person, so no ' +
    'report changes. 202 when it was erased now; 200 with the first receipt when this request_ref, or this customer_key, ' +
    'was erased before. It cannot be undone.',
  tags: ['Customers'],
  scopes: ['attribution:write'],
  auth: ['api_key'],
  // Whoever holds personal data can be told to erase it, enabled or not (SPEC 4.1).
  needsEntitlement: false,
  idempotency: 'natural',
  body: ErasureRequestBody,
  onInvalid: { body: 'invalid_parameter' },
  response: one(ErasureReceipt),
  status: [202, 200],
  errors: ['invalid_parameter', 'api_key_required', 'customer_not_found'],
  handler: async ({ body, profile, credential, postgres, vault, erasureSecrets, reply }) => {
    const selector = erasureSelector(body)
    const outcome = await asProfile(postgres, profile.id, (tx) =>
      erase(tx, erasureSecrets, profile.id, {
        requestRef: body.request_ref,
        selector,
        reason: body.reason,
        requestedBy: `${credential.kind}:${credential.id}`,
      }),
    )
    // Other processes hear of it; this one must not wait for the news.
    if (outcome.kind === 'erased') vault.forget(profile.id)
    switch (outcome.kind) {
      case 'not_found':
        throw new ApiError('customer_not_found')
      case 'ref_taken': {
        const message = 'was used for a different customer'
        throw new ApiError('invalid_parameter', `request_ref: ${message}`, {
          fields: [{ field: 'request_ref', message }],
        })
      }
      case 'known':
        reply.status(200)
    }
    return toErasureReceipt(outcome.receipt)
  },
})
