import { expect, it } from 'vitest'
import { maskIdentifier } from '../../domain/mask.ts'

it.each([
  ['email', 'ann@example.com', 'a***@e***.com'],
  ['phone', '+56912345678', '+56***78'],
  ['national_id', '12345678-5', '***-5'],
  ['crm_contact_id', 'hubspot:4211987', 'hubspot:***87'],
  ['crm_contact_id', 'crm.example:4211987', 'crm.example:***87'],
  ['external_customer_id', 'C-1', '***'],
  ['email', null, '(erased)'],
] as const)('masks %s %s as %s', (type, value, masked) => {
  expect(maskIdentifier(type, value)).toBe(masked)
})
