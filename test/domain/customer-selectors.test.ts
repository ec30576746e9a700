import { expect, it } from 'vitest'
import { selectorOf } from '../../domain/customer-selectors.ts'

it.each([
  ['email', ' Ana@Example.com', 'ana@example.com'],
  ['phone', '+56 9 8765 4321', '+56987654321'],
  ['national_id', '12.345.678-5', '12345678-5'],
  ['external_customer_id', ' C-1 ', 'C-1'],
] as const)('reads the %s %j', (type, sent, value) => {
  expect(selectorOf(type, sent)).toEqual({ ok: true, value: { type, value } })
})

it('reads a phone without a plus by its country', () => {
  expect(selectorOf('phone', '987654321', 'CL')).toMatchObject({ value: { value: '+56987654321' } })
})

it.each([
  ['email', 'x', 'malformed'],
  ['email', 'null', 'malformed'],
  ['email', 'test@test.com', 'no_match'],
  ['phone', '0', 'malformed'],
  ['phone', '+56900000000', 'no_match'],
  ['phone', '987654321', 'malformed'],
  ['national_id', '12345678-9', 'malformed'],
  ['national_id', '11.111.111-1', 'no_match'],
  ['external_customer_id', ' ', 'malformed'],
  ['external_customer_id', 'guest', 'no_match'],
  ['store_customer_id', 'x'.repeat(300), 'no_match'],
] as const)('refuses the %s %j as %s', (type, sent, reason) => {
  expect(selectorOf(type, sent)).toEqual({ ok: false, reason })
})
