import { describe, expect, test } from 'vitest'
import { impersonalKey } from '../../domain/customer-keys.ts'

describe('a customer key, told to those who may not read persons', () => {
  test.each(['C-1001', '11111', '56933334444', 'hubspot:42', 'a@b'])('%s is told', (key) => {
    expect(impersonalKey(key)).toBe(key)
  })
  test.each(['ana@clinica.cl', 'ANA@Clinica.CL', '+56933334444', '+56 9 3333 4444', 'tel:+56-9-3333-4444', null])(
    '%s is not',
    (key) => {
      expect(impersonalKey(key)).toBeNull()
    },
  )

  test.each(['12.345.678-5', '12345678-5', '123456785', '012.345.678-5', '10.000.013-k', ' 12 345 678 5 '])(
    '%s is not: it is a RUT',
    (key) => {
      expect(impersonalKey(key)).toBeNull()
    },
  )
  test.each(['12.345.678-4', '123456784', '10042', '1004215', 'C-10042', 'C-12345678-5', '12345678-5-2'])(
    '%s is told: it is no RUT',
    (key) => {
      expect(impersonalKey(key)).toBe(key)
    },
  )

  test.each([
    ...['987654321', '9 8765 4321', '(9) 8765-4321', '09 8765 4321', '56987654321', '0056987654321', '56.9.8765.4321'],
    ...['87654321', '7654321', '765-4321'],
  ])('%s is not, of a customer with that phone', (key) => {
    expect(impersonalKey(key, ['+14155552671', '+56987654321'])).toBeNull()
  })
  test.each(['654321', '54321', '987654322', '9876543', 'C-987654321', '10042'])(
    '%s is told, of a customer with another phone',
    (key) => {
      expect(impersonalKey(key, ['+14155552671', '+56987654321'])).toBe(key)
    },
  )
})
