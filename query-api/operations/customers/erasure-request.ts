import { z } from 'zod'
import { type CustomerSelector, namedIdentifierTypes, selectorOf } from '../../../domain/customer-selectors.ts'
import { erasureReasons, requestRefShape } from '../../../domain/erasures.ts'
import { ApiError, fieldError } from '../../../http/operation.ts'
import type { IdentifierType } from '../../../schemas/messages.ts'

const value = (description: string) =>
  z.string({ error: 'must be a text' }).min(1).max(1024).optional().meta({ description })

/** The fields of an erasure, whoever asks for it. */
export const erasureFields = {
  request_ref: z
    .string({ error: 'is required: your idempotency key' })
    .regex(requestRefShape, { error: 'must be 1 to 200 letters, digits and . _ : -' })
    .meta({
      description: 'Your idempotency key, unique in the profile; never personal data.',
      examples: ['dsr-2026-0042'],
    }),
  customer_key: value('The customer by your own id, the `user_traits.external_id` of events.'),
  email: value('The customer by e-mail.'),
  phone: value('The customer by phone; a number without + needs `country`.'),
  identifier_type: z
    .enum(namedIdentifierTypes, { error: `must be one of ${namedIdentifierTypes.join(', ')}` })
    .optional()
    .meta({ description: 'The customer by another identifier, together with `identifier_value`.' }),
  identifier_value: value('The value of that identifier.'),
  country: z
    .string({ error: 'must be a text' })
    .regex(/^[A-Za-z]{2}$/, { error: 'must be two letters of ISO 3166-1' })
    .optional()
    .meta({ description: 'ISO 3166-1 alpha-2: the region of a phone without +.', examples: ['CL'] }),
  reason: z
    .enum(erasureReasons, { error: `must be one of ${erasureReasons.join(', ')}` })
    .default('data_subject_request'),
  customer_profile_id: z.undefined({ error: 'is no selector of an erasure' }).optional(),
}

/** A customer is named in exactly one way. */
export const ErasureRequestBody = z.object(erasureFields).superRefine(checkSelectors).meta({ id: 'ErasureRequest' })

export type ErasureFields = z.output<z.ZodObject<typeof erasureFields>>

export function checkSelectors(body: ErasureFields, context: z.RefinementCtx): void {
  const { identifier_type, identifier_value } = body
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (identifier_type !== undefined && identifier_value === undefined) {
    issue('identifier_value', 'is required beside identifier_type')
  } else if (identifier_type === undefined && identifier_value !== undefined) {
    issue('identifier_type', 'is required beside identifier_value')
  } else {
    const count = selectorsOf(body).length
    if (count === 0) issue('customer_key', 'name the customer by customer_key, email, phone or identifier_type')
    if (count > 1) issue(selectorsOf(body)[1]!.field, 'name the customer in one way only')
  }
}

function selectorsOf(body: ErasureFields): { field: string; type: IdentifierType; sent: string }[] {
  const { customer_key, email, phone, identifier_type, identifier_value } = body
  return [
    { field: 'customer_key', type: 'external_customer_id' as const, sent: customer_key },
    { field: 'email', type: 'email' as const, sent: email },
    { field: 'phone', type: 'phone' as const, sent: phone },
    { field: 'identifier_value', type: identifier_type ?? 'external_customer_id', sent: identifier_value },
  ].flatMap(({ sent, ...rest }) => (sent === undefined ? [] : { ...rest, sent }))
}

/** The one selector of a request; refused with its field's name when it cannot be read. */
export function erasureSelector(body: ErasureFields): CustomerSelector {
  const [{ field, type, sent } = { field: 'customer_key', type: 'external_customer_id' as const, sent: '' }] =
    selectorsOf(body)
  const selector = selectorOf(type, sent, body.country)
  if (selector.ok) return selector.value
  if (selector.reason === 'no_match') throw new ApiError('customer_not_found')
  const message = type === 'phone' ? 'is no phone number; one without + needs country' : `is no ${type}`
  throw fieldError('invalid_parameter', field, message)
}
