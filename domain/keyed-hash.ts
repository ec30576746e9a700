import { createHmac, hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32
const maxBytes = 4096

interface Pads {
  inner: Buffer
  outer: Buffer
}

const padsOf = new WeakMap<Buffer, Pads>()

function pads(key: Buffer): Pads {
  let made = padsOf.get(key)
  if (!made) {
    made = { inner: Buffer.alloc(blockBytes + maxBytes, 0x36), outer: Buffer.alloc(blockBytes + digestBytes, 0x5c) }
    for (const [at, byte] of key.entries()) {
      made.inner[at]! ^= byte
      made.outer[at]! ^= byte
    }
    padsOf.set(key, made)
  }
  return made
}

/**
 * HMAC-SHA256 in base64, as two plain hashes over the padded key. An Hmac object is a stream with a native half: made for
 * every request, such objects cost more to collect than the hash itself.
 */
export function keyedHash(key: Buffer, text: string): string {
  if (key.length > blockBytes || text.length * 3 > maxBytes) {
    return createHmac('sha256', key).update(text).digest('base64')
  }
  const { inner, outer } = pads(key)
  const length = blockBytes + inner.write(text, blockBytes)
  outer.write(hash('sha256', inner.subarray(0, length), 'binary'), blockBytes, 'binary')
  return hash('sha256', outer, 'base64')
}
