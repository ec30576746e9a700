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
})
