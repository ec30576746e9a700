import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { linkTokens } from '../../domain/link-tokens.ts'

const [old, current] = [
  { id: 'old', secret: randomBytes(32) },
  { id: 'new', secret: randomBytes(32) },
]
const tokens = linkTokens([current])!
const [profile, identifier] = [randomUUID(), randomUUID()]
const now = new Date('2026-03-01T12:00:00Z')
const tomorrow = new Date('2026-03-02T12:00:00Z')

describe('a link token', () => {
  it('names the identifier to who holds the key, until it expires', async () => {
    const token = await tokens.mint(profile, identifier, tomorrow)
    expect(await tokens.open(profile, token, now)).toBe(identifier)
    expect(await tokens.open(profile, token, new Date(tomorrow.getTime() - 1000))).toBe(identifier)
    expect(await tokens.open(profile, token, new Date(tomorrow.getTime() + 1000))).toBeUndefined()
  })

  it('fits a URL as it is, and holds nothing that can be read', async () => {
    const token = await tokens.mint(profile, identifier, tomorrow)
    expect(encodeURIComponent(token)).toBe(token)
    expect(token.length).toBeLessThan(256)
    const parts = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(parts.join()).not.toContain(identifier)
    expect(JSON.parse(parts[0]!)).toEqual({ alg: 'dir', enc: 'A256GCM', kid: 'new' })
  })

  it('of one person looks unrelated to another of the same person', async () => {
    const [a, b] = [await tokens.mint(profile, identifier, tomorrow), await tokens.mint(profile, identifier, tomorrow)]
    const [, , nonceA, bodyA] = a.split('.')
    const [, , nonceB, bodyB] = b.split('.')
    expect(nonceA).not.toBe(nonceB)
    expect(bodyA!.slice(0, 8)).not.toBe(bodyB!.slice(0, 8))
  })

  it('of another profile is none', async () => {
    expect(await tokens.open(randomUUID(), await tokens.mint(profile, identifier, tomorrow), now)).toBeUndefined()
  })

  it('with any character changed is none', async () => {
    const token = await tokens.mint(profile, identifier, tomorrow)
    for (let at = 0; at < token.length; at += 3) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      // The last character of a part may hold bits that mean nothing: then it is the same token.
      const opened = await tokens.open(profile, changed, now)
      if (opened !== undefined) {
        const bytes = (text: string) => text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'))
        expect(bytes(changed)).toEqual(bytes(token))
      }
    }
  })

  it.each(['', 'x', 'a.b.c.d.e', '..', '{}', 'eyJhbGciOiJub25lIn0..x.y.z', `${'A'.repeat(5000)}`, 'ñ€😀.\u0000'])(
    'is not %j',
    async (text) => expect(await tokens.open(profile, text, now)).toBeUndefined(),
  )

  it('of an older key is good as long as that key is configured', async () => {
    const before = await linkTokens([old])!.mint(profile, identifier, tomorrow)
    const rotated = linkTokens([current, old])!
    expect(await rotated.open(profile, before, now)).toBe(identifier)
    expect(await tokens.open(profile, before, now)).toBeUndefined()
    expect(await tokens.open(profile, await rotated.mint(profile, identifier, tomorrow), now)).toBe(identifier)
  })

  it('does not exist without a key', () => expect(linkTokens([])).toBeUndefined())
})
