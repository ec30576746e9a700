import { expect, test } from 'vitest'
import { isPaymentRef } from '../../domain/payment-ref.ts'

test.each(['tx_1', 'A', '2026-000123', '0012345', 'a.b:c-d_e', '4111111111111112', 'x'.repeat(200)])(
  '%s is a reference',
  (text) => expect(isPaymentRef(text)).toBe(true),
)

test.each([
  ['nothing', ''],
  ['a space', 'tx 1'],
  ['an address', 'ana@example.com'],
  ['a leading separator', '-tx'],
  ['too long', 'x'.repeat(201)],
  ['a card number', '4111111111111111'],
  ['a card number in groups', '4111-1111-1111-1111'],
  ['a line break', 'tx\n1'],
])('%s is none', (_what, text) => expect(isPaymentRef(text)).toBe(false))
