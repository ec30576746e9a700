import { describe, expect, it } from 'vitest'
import { formatApiKey, hashSecret, isSameHash, mintApiKey, parseApiKey } from '../../domain/api-keys.ts'

describe('an API key', () => {
  it('reads back as it was minted', () => {
    const parts = mintApiKey()
    expect(parseApiKey(formatApiKey(parts))).toEqual(parts)
  })

  it('with any one character changed is none', () => {
    const key = formatApiKey(mintApiKey())
    for (let at = 0; at < key.length; at++) {
      const changed = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)
      expect(parseApiKey(changed), changed).toBeUndefined()
    }
  })

  it('is none when cut, lengthened or of another kind', () => {
    const key = formatApiKey(mintApiKey())
    for (const text of ['', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.replace('live', 'test')]) {
      expect(parseApiKey(text)).toBeUndefined()
    }
  })

  it('is known by the hash of its secret', () => {
    const { secret } = mintApiKey()
    expect(isSameHash(hashSecret(secret), hashSecret(secret))).toBe(true)
    expect(isSameHash(hashSecret(mintApiKey().secret), hashSecret(secret))).toBe(false)
  })
})
