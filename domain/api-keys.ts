import { hash as digest, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62, randomText } from './random-text.ts'

const shape = /^tl_live_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

export interface ApiKeyParts {
  id: string
  secret: string
}

const checksum = (id: string, secret: string) => base62(crc32(`tl_live_${id}_${secret}`), 6)

/** `tl_live_<id>_<secret><checksum>`: shown once, stored only as the hash of its secret. */
export const formatApiKey = ({ id, secret }: ApiKeyParts): string => `tl_live_${id}_${secret}${checksum(id, secret)}`

export const mintApiKey = (): ApiKeyParts => ({ id: randomText(12), secret: randomText(32) })

/** Nothing for a key of another shape or with a wrong checksum: a typo never costs a look-up. */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  const [, id, secret, sum] = shape.exec(text) ?? []
  if (!id || !secret || sum !== checksum(id, secret)) return undefined
  return { id, secret }
}

const idShape = /^[0-9A-Za-z]{12}$/

export const isApiKeyId = (text: string): boolean => idShape.test(text)

export const hashSecret = (secret: string): Buffer => digest('sha256', secret, 'buffer')

/** In the same time wherever they differ. */
export const isSameHash = (one: Buffer, other: Buffer): boolean => timingSafeEqual(one, other)
