import { one } from '../../../http/operation.ts'
import { operation } from '../../identity-operation.ts'
import { ErasureReceipt } from './erasure-receipt.ts'
import { ErasureRequestBody } from './erasure-request.ts'
import { performErasure } from './perform-erasure.ts'

export const eraseCustomer = operation({
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
  handler: ({ body, profile, credential, reply, ...deps }) =>
    performErasure(deps, profile.id, body, `${credential.kind}:${credential.id}`, reply),
})
