import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmacIdentifier, open, seal, unwrapDataKey, vaultKeys, wrapDataKey } from '../../domain/sealing.ts'

const key = randomBytes(32)
const profile = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

test('what was sealed opens under the same key and context', () => {
  const sealed = seal(key, 'here', 'Ana Pérez')
  expect(open(key, 'here', sealed).toString()).toBe('Ana Pérez')
  expect(sealed[0]).toBe(1)
  expect(sealed.includes('Ana')).toBe(false)
})

test('the same value sealed twice gives different bytes', () => {
  expect(seal(key, 'here', 'ana').equals(seal(key, 'here', 'ana'))).toBe(false)
})

test('no nonce is ever used again, however many values are sealed', () => {
  const nonces = Array.from({ length: 3000 }, () => seal(key, 'here', 'ana').toString('hex', 1, 13))
  expect(new Set(nonces).size).toBe(3000)
})

test('an empty value can be sealed', () => {
  expect(open(key, '', seal(key, '', '')).length).toBe(0)
})

test('another key, another context, a changed byte, another version and a stump do not open', () => {
  const sealed = seal(key, 'here', 'ana')
  const changed = Buffer.from(sealed)
  changed[15]! ^= 1
  const newer = Buffer.from(sealed)
  newer[0] = 2
  expect(() => open(randomBytes(32), 'here', sealed)).toThrow()
  expect(() => open(key, 'there', sealed)).toThrow()
  expect(() => open(key, 'here', changed)).toThrow()
  expect(() => open(key, 'here', newer)).toThrow('unknown version 2')
  expect(() => open(key, 'here', sealed.subarray(0, 20))).toThrow('too short')
})

test('keys derived from one root differ from each other and are the same on every machine', () => {
  const root = Buffer.alloc(32, 7)
  const keys = vaultKeys(root)
  expect(keys).toEqual(vaultKeys(root))
  expect(keys.identifierHmac.equals(keys.dataKeyWrapping)).toBe(false)
  expect(keys.identifierHmac.length).toBe(32)
})

test('the hash of an identifier depends on profile, type and value, and on where one ends', () => {
  const hashes = [
    hmacIdentifier(key, profile, 'email', 'ana@example.com'),
    hmacIdentifier(key, profile, 'phone', 'ana@example.com'),
    hmacIdentifier(key, 'other', 'email', 'ana@example.com'),
    hmacIdentifier(key, profile, 'emaila', 'na@example.com'),
    hmacIdentifier(randomBytes(32), profile, 'email', 'ana@example.com'),
  ].map((hash) => hash.toString('hex'))
  expect(new Set(hashes).size).toBe(5)
})

test('a data key unwraps only for the token it was wrapped for', () => {
  const wrapped = wrapDataKey(key, profile, 'token-a', randomBytes(32))
  expect(unwrapDataKey(key, profile, 'token-a', wrapped).length).toBe(32)
  expect(() => unwrapDataKey(key, profile, 'token-b', wrapped)).toThrow()
})
