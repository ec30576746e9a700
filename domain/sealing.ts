import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { keyedHash } from './keyed-hash.ts'

/** Every key is derived from the one root secret under a label of its own; a label is never used for two purposes. */
export const keyLabels = {
  identifierHmac: 'touchline/vault/identifier-hmac/v1',
  dataKeyWrapping: 'touchline/vault/data-key-wrapping/v1',
  rejected: 'touchline/rejected/v1',
  idempotency: 'touchline/idempotency/v1',
  accessTokens: 'touchline/access-tokens/v1',
  csrf: 'touchline/csrf/v1',
  erasureSelector: 'touchline/erasure/selector-hmac/v1',
  erasureSearch: 'touchline/erasure/search/v1',
  hookSecret: 'touchline/hooks/secret/v1',
  hookPayload: 'touchline/hooks/payload/v1',
} as const
export type KeyLabel = (typeof keyLabels)[keyof typeof keyLabels]

export const deriveKey = (rootSecret: Buffer, label: KeyLabel): Buffer =>
  Buffer.from(hkdfSync('sha256', rootSecret, Buffer.alloc(0), label, 32))

export interface VaultKeys {
  identifierHmac: Buffer
  dataKeyWrapping: Buffer
}

export const vaultKeys = (rootSecret: Buffer): VaultKeys => ({
  identifierHmac: deriveKey(rootSecret, keyLabels.identifierHmac),
  dataKeyWrapping: deriveKey(rootSecret, keyLabels.dataKeyWrapping),
})

const keyObjects = new WeakMap<Buffer, KeyObject>()

/** Made once for each key: from bytes at every call, the key costs several times what is done with it. */
function keyObject(key: Buffer): KeyObject {
  let made = keyObjects.get(key)
  if (!made) {
    made = createSecretKey(key)
    keyObjects.set(key, made)
  }
  return made
}

/** A keyed hash in base64, so that the vault's rows cannot be searched by guessing values without the root secret. */
export const hashIdentifier = (key: Buffer, profile: string, type: string, value: string): string =>
  keyedHash(key, `${profile}\0${type}\0${value}`)

export const hmacIdentifier = (key: Buffer, profile: string, type: string, value: string): Buffer =>
  Buffer.from(hashIdentifier(key, profile, type, value), 'base64')

// Layout of everything sealed: version (1), nonce (12), ciphertext, tag (16).
const version = 1
const nonceLength = 12
const tagLength = 16

const drawnAtOnce = 512

/** Random bytes of one length, drawn from the system many at a time: one by one, a draw costs half of what sealing does. */
function randomSource(length: number): () => Buffer {
  let drawn = Buffer.alloc(0)
  let next = 0
  return () => {
    if (next === drawn.length) {
      drawn = randomBytes(drawnAtOnce * length)
      next = 0
    }
    next += length
    return drawn.subarray(next - length, next)
  }
}

const newNonce = randomSource(nonceLength)

export function seal(key: Buffer, aad: string, plaintext: string | Buffer): Buffer {
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), nonce).setAAD(Buffer.from(aad))
  const body = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  return Buffer.concat([Buffer.of(version), nonce, body, cipher.final(), cipher.getAuthTag()])
}

/** Throws when the bytes are of another version, were changed, or belong under another key or name. */
export function open(key: Buffer, aad: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (bytes.length < 1 + nonceLength + tagLength) throw new Error('sealed value is too short')
  if (bytes[0] !== version) throw new Error(`sealed value has unknown version ${bytes[0]}`)
  const decipher = createDecipheriv('aes-256-gcm', keyObject(key), bytes.subarray(1, 1 + nonceLength))
    .setAAD(Buffer.from(aad))
    .setAuthTag(bytes.subarray(-tagLength))
  const plaintext = decipher.update(bytes.subarray(1 + nonceLength, -tagLength))
  // Checks the tag and adds nothing: this mode has no padding.
  decipher.final()
  return plaintext
}

/** What binds a sealed value to its place: the bytes of one token cannot be passed off as another's. */
export const sealingContext = (profile: string, token: string, what: 'value' | 'traits' | 'key' | 'payload'): string =>
  `${profile}/${token}/${what}`

export const newDataKey = randomSource(32)

export const wrapDataKey = (wrappingKey: Buffer, profile: string, token: string, dataKey: Buffer): Buffer =>
  seal(wrappingKey, sealingContext(profile, token, 'key'), dataKey)

export const unwrapDataKey = (wrappingKey: Buffer, profile: string, token: string, wrapped: Uint8Array): Buffer =>
  open(wrappingKey, sealingContext(profile, token, 'key'), wrapped)
