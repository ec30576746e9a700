import { describe, expect, test } from 'vitest'
import { addressList } from '../../infra/address-list.ts'

describe('a list', () => {
  test.each([
    ['loopback', '127.0.0.1', true],
    ['loopback', '127.9.9.9', true],
    ['loopback', '::1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '10.0.0.1', false],
    ['private', '172.31.255.255', true],
    ['private', '172.32.0.1', false],
    ['private', 'fd00::1', true],
    ['none', '127.0.0.1', false],
    ['203.0.113.7, 2001:db8::/32', '203.0.113.7', true],
    ['203.0.113.7, 2001:db8::/32', '2001:db8:ffff::1', true],
    ['203.0.113.7, 2001:db8::/32', '203.0.113.8', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['loopback', '127.0.0.1.evil.example', false],
    ['loopback', '', false],
    ['loopback', undefined, false],
  ])('%s: %s is %s', (list, address, isListed) => {
    expect(addressList(list)!(address)).toBe(isListed)
  })

  test.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/x',
    '10.0.0.0/',
    '10.0.0/8',
    '::/129',
    'loopback;private',
    'constructor',
  ])('%j is none', (text) => {
    expect(addressList(text)).toBeUndefined()
  })
})
