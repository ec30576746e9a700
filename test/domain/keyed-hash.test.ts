import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyedHash } from '../../domain/keyed-hash.ts'

const plain = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64')

test('gives what HMAC-SHA256 gives, for any key and text', () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(keys, fc.array(fc.string({ unit: 'binary', maxLength: 2000 }), { maxLength: 4 }), (key, texts) => {
      for (const text of texts) expect(keyedHash(key, text)).toBe(plain(key, text))
    }),
  )
})

test('takes a text of any length, and lone surrogates as every hash does', () => {
  const key = randomBytes(32)
  for (const text of ['', 'a'.repeat(1365), 'ü'.repeat(1366), '€'.repeat(5000), 'a\ud800b', '\0']) {
    expect(keyedHash(key, text)).toBe(plain(key, text))
  }
})

test('a short text after a long one leaves nothing of the long one behind', () => {
  const key = randomBytes(32)
  keyedHash(key, 'x'.repeat(1000))
  expect(keyedHash(key, 'y')).toBe(plain(key, 'y'))
})
