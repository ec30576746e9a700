import { expect, it } from 'vitest'
import { readImportRow } from '../../domain/import-rows.ts'

it.each([
  ['an e-mail', { email: ' Ana@Example.com ' }, [['email', 'ana@example.com']]],
  ['a phone of the country', { phone: '9 8765 4321' }, [['phone', '+56987654321']]],
  ['a phone as a number', { phone: 56987654321 }, [['phone', '+56987654321']]],
  ['a phone of another country', { phone: '+1 415 555 2671' }, [['phone', '+14155552671']]],
  ['a RUT with dots', { national_id: '12.345.678-5' }, [['national_id', '12345678-5']]],
  ['a RUT without anything', { national_id: '123456785' }, [['national_id', '12345678-5']]],
  ['a RUT with k', { national_id: '11111112-k' }, [['national_id', '11111112-K']]],
  [
    'all of them, strongest first',
    { email: 'a@example.com', phone: '+56987654321', national_id: '12345678-5', external_id: 7 },
    [
      ['external_customer_id', '7'],
      ['national_id', '12345678-5'],
      ['email', 'a@example.com'],
      ['phone', '+56987654321'],
    ],
  ],
  ['one good among bad ones', { email: 'x', phone: '1', national_id: '12345678-5' }, [['national_id', '12345678-5']]],
  [
    'a good one beside a stand-in for a key',
    { email: 'a@example.com', external_id: 'null' },
    [['email', 'a@example.com']],
  ],
  ['nulls beside a good one', { email: 'a@example.com', phone: null, external_id: null }, [['email', 'a@example.com']]],
] as const)('takes %s', (_, row, expected) => {
  const read = readImportRow(row, 'CL')
  expect(read.ok && read.value.identifiers.map(({ type, value }) => [type, value])).toEqual(expected)
})

it('cleans names, and keeps none of nothing', () => {
  const read = readImportRow({ email: 'a@example.com', first_name: ' Ana\u0000María ', last_name: ' ' }, 'CL')
  expect(read).toMatchObject({ value: { first_name: 'Ana María', last_name: undefined } })
})

it.each([
  ['no_identifier', {}],
  ['no_identifier', { external_id: 'C-1' }],
  ['no_identifier', { external_id: 'C-1', first_name: 'Ana', email: ' ', phone: null }],
  ['invalid_email', { email: 'x' }],
  ['invalid_email', { email: 'test@test.com', external_id: 'C-1' }],
  ['invalid_email', { email: 'x', phone: '1' }],
  ['invalid_phone', { phone: '12' }],
  ['invalid_phone', { phone: '12', national_id: '1' }],
  ['invalid_national_id', { national_id: '12345678-9' }],
  ['malformed_row', null],
  ['malformed_row', 'ana@example.com'],
  ['malformed_row', 7],
  ['malformed_row', []],
  ['malformed_row', { email: 7 }],
  ['malformed_row', { email: 'a@example.com', first_name: {} }],
  ['malformed_row', { phone: 1.5 }],
  ['malformed_row', { email: 'a@example.com', external_id: true }],
] as const)('rejects as %s: %j', (reason, row) => {
  expect(readImportRow(row, 'CL')).toEqual({ ok: false, reason })
})
