import { describe, expect, test } from 'vitest'
import { normalise } from '../../domain/identifiers.ts'
import { identifierTypes } from '../../schemas/messages.ts'

describe('an e-mail is trimmed, lower-cased and shape-checked', () => {
  test.each([
    ['  Ana.Perez@Example.CL ', 'ana.perez@example.cl'],
    ['a+b@sub.example.co.uk', 'a+b@sub.example.co.uk'],
    ['josé@example.com', 'josé@example.com'],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    ["o'hara@example.com", "o'hara@example.com"],
    ['test@clinic.cl', 'test@clinic.cl'],
  ])('%s is %s', (value, canonical) => {
    expect(normalise('email', value)).toEqual({ ok: true, value: canonical })
  })

  test.each([
    'ana',
    'ana@',
    '@example.com',
    'ana@localhost',
    'ana@@example.com',
    'ana perez@example.com',
    'ana@example..com',
    '.ana@example.com',
    'Ana <ana@example.com>',
    `${'a'.repeat(65)}@example.com`,
    `${'a'.repeat(2000)}@example.com`,
    'ana\ud800@example.com',
    'ana@example.c',
  ])('%s is no e-mail', (value) => {
    expect(normalise('email', value)).toEqual({ ok: false, reason: 'invalid_email' })
  })

  test.each(['test@test.com', 'TEST@TEST.COM', 'null@example.com', 'undefined@example.com', '0000@example.com'])(
    '%s stands for nobody',
    (value) => {
      expect(normalise('email', value)).toEqual({ ok: false, reason: 'placeholder' })
    },
  )
})

describe('a phone becomes E.164 with the country as a hint', () => {
  test.each([
    ['+56 9 8765 4321', undefined, '+56987654321'],
    ['9 8765 4321', 'CL', '+56987654321'],
    ['987654321', 'cl', '+56987654321'],
    ['0056 9 8765 4321', undefined, '+56987654321'],
    ['(415) 555-2671', 'US', '+14155552671'],
    ['tel:+1-415-555-2671', undefined, '+14155552671'],
    ['+1 415 555 2671', 'CL', '+14155552671'],
    ['+56987654321', 'ZZ', '+56987654321'],
  ])('%s in %s is %s', (value, country, canonical) => {
    expect(normalise('phone', value, { country: country ?? null })).toEqual({ ok: true, value: canonical })
  })

  test.each([
    ['987654320', undefined],
    ['123', 'CL'],
    ['call me at +56987654321', 'CL'],
    ['+999 123', undefined],
    ['ana@example.com', 'CL'],
  ])('%s in %s is no phone', (value, country) => {
    expect(normalise('phone', value, { country: country ?? null })).toEqual({ ok: false, reason: 'invalid_phone' })
  })

  test.each(['000000000', '+56999999999', '123456789', '+56900000000', '111 111 111'])(
    '%s stands for nobody',
    (value) => {
      expect(normalise('phone', value, { country: 'CL' })).toEqual({ ok: false, reason: 'placeholder' })
    },
  )
})

describe('a RUT in any format is checked by its digit', () => {
  test.each([
    ['12.345.678-5', '12345678-5'],
    ['12345678-5', '12345678-5'],
    ['123456785', '12345678-5'],
    [' 12 345 678 - 5 ', '12345678-5'],
    ['012345678-5', '12345678-5'],
    ['10.000.013-k', '10000013-K'],
    ['6.824.160-k', '6824160-K'],
  ])('%s is %s', (value, canonical) => {
    expect(normalise('national_id', value)).toEqual({ ok: true, value: canonical })
  })

  test.each(['12345678-4', '12345678', 'K', '1-9', '12.345.678-55', 'AB1234567'])('%s is no RUT', (value) => {
    expect(normalise('national_id', value)).toEqual({ ok: false, reason: 'invalid_national_id' })
  })

  test('a RUT of one repeated digit stands for nobody though its check digit fits', () => {
    expect(normalise('national_id', '11.111.111-1')).toEqual({ ok: false, reason: 'placeholder' })
  })
})

describe('an id of another system is kept as it is written', () => {
  test.each([
    [' C-1001 ', 'C-1001'],
    ['hubspot:42', 'hubspot:42'],
    ['Año-1', 'Año-1'],
    ['11111', '11111'],
    ['2222222', '2222222'],
  ])('%s is %s', (value, canonical) => {
    expect(normalise('external_customer_id', value)).toEqual({ ok: true, value: canonical })
  })

  test.each(['ab'.repeat(101), 'a\u0000b', 'a\ud800b'])('a value that is too long or not text is refused', (value) => {
    expect(normalise('crm_contact_id', value)).toEqual({ ok: false, reason: 'invalid_external_id' })
  })

  test('a provider in front of a stand-in makes no identifier', () => {
    expect(normalise('payments_customer_id', 'stripe:null')).toEqual({ ok: false, reason: 'placeholder' })
  })
})

describe.each(identifierTypes)('no stand-in is an identifier of type %s', (type) => {
  test.each([
    '',
    '  ',
    'null',
    'NULL',
    'undefined',
    'guest',
    '0',
    '00000',
    'n/a',
    'N/A',
    'none',
    'anonymous',
    '-',
    '[object Object]',
    '{{customer.id}}',
    '00000000-0000-0000-0000-000000000000',
    'xxxxxx',
  ])('%s', (value) => {
    expect(normalise(type, value)).toEqual({ ok: false, reason: 'placeholder' })
  })
})
