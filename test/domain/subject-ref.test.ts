import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkSubjectRef } from '../../domain/subject-ref.ts'

describe('SPEC 4.6 subject_ref rule 2: accepted shapes', () => {
  test.each([
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    '12345678-1234-4234-8234-123456789012',
    'pet_42',
    'P-100123',
    'a',
    'V1StGXR8_Z5jdHi6B-myT',
    'x'.repeat(32),
    'deadbeef',
    'ward-may',
    'mariachi',
    'banana7',
    'x-2024-99',
    'mariachi-2019',
    'x2024market',
    'kanab-3anab',
  ])('%s', (value) => {
    expect(checkSubjectRef(value)).toEqual({ ok: true, value })
  })

  test('a canonical UUID is one value in either case', () => {
    const id = randomUUID()
    expect(checkSubjectRef(id.toUpperCase())).toEqual({ ok: true, value: id })
  })

  test.each(['', 'x'.repeat(33), 'has space', 'ñandu', 'a.b', 'a/b', 'a\n'])('%j has another shape', (value) => {
    expect(checkSubjectRef(value)).toEqual({ ok: false, reason: 'shape' })
  })
})

describe('SPEC 4.6 subject_ref rule 6: nothing that names the person', () => {
  test.each([
    ['ana@example.com', 'email'],
    ['a@b', 'email'],
    ['1234567', 'digits'],
    ['p-123-45-67', 'digits'],
    ['9_8765_4321', 'digits'],
    ['12345678-5', 'digits'],
    ['2019-05-31', 'date'],
    ['pet-31-05-2019', 'date'],
    ['dob_31_05_19', 'date'],
    ['x20190531', 'date'],
    ['31052019', 'date'],
    ['5-may-2019', 'date'],
    ['31dic2019', 'date'],
    ['1985-mar-12', 'date'],
    ['1985mar12', 'date'],
    ['marzo-1985', 'date'],
    ['kid_1985_dic', 'date'],
    ['maria', 'name'],
    ['ana-12', 'name'],
    ['Ana2', 'name'],
    ['leo_5', 'name'],
    ['mariaPerez', 'name'],
    ['Juan', 'name'],
    ['JuanPerez', 'name'],
    ['kid_sofia_2', 'name'],
    ['gonzalez-3', 'name'],
    ['maria2', 'name'],
    ['ana', 'name'],
    ['d41d8cd98f00b204e9800998ecf8427e', 'digest'],
    ['D41D8CD98F00B204E9800998ECF8427E', 'digest'],
    ['da39a3ee5e6b4b0d3255bfef95601890afd80709', 'digest'],
    ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'digest'],
  ])('%s is refused as %s', (value, reason) => {
    expect(checkSubjectRef(value)).toEqual({ ok: false, reason })
  })
})
