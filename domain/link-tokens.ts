import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, EncryptJWT, jwtDecrypt } from 'jose'
import { LRUCache } from 'lru-cache'
import { isUuid } from './ids.ts'

/** The query parameter that carries a link token (SPEC 4.1). */
export const linkTokenParameter = 'svc_t'
const maxLinkTokenLength = 4096

const label = 'touchline/link-tokens/v1'
const encryption = { alg: 'dir', enc: 'A256GCM' } as const
const rememberedKeys = 1000

export interface LinkTokens {
  /** A token for the customer who holds the identifier, opaque and good in this profile only. */
  mint(profileId: string, identifierToken: string, expiresAt: Date): Promise<string>
  /** The identifier that a token names; nothing for one that was changed, has expired or is another profile's. */
  open(profileId: string, linkToken: string, now: Date): Promise<string | undefined>
}

export interface LinkTokenKey {
  id: string
  secret: Buffer
}

/**
 * The first key mints; tokens of the others stay good until they expire, so that a key can be replaced. Without a key
 * there are no link tokens.
 */
export function linkTokens(configured: readonly LinkTokenKey[]): LinkTokens | undefined {
  const [current] = configured
  if (!current) return undefined
  const secrets = new Map(configured.map(({ id, secret }) => [id, secret]))
  const keys = new LRUCache<string, KeyObject>({ max: rememberedKeys })

  /** Each profile has a key of its own: a token of one cannot even be opened in another. */
  const keyOf = (id: string, profileId: string): KeyObject | undefined => {
    const secret = secrets.get(id)
    if (!secret) return undefined
    const known = keys.get(`${profileId}/${id}`)
    if (known) return known
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, profileId, label, 32)))
    keys.set(`${profileId}/${id}`, key)
    return key
  }

  return {
    mint: (profileId, identifierToken, expiresAt) =>
      new EncryptJWT({ t: identifierToken })
        .setProtectedHeader({ ...encryption, kid: current.id })
        .setExpirationTime(expiresAt)
        .encrypt(keyOf(current.id, profileId)!),

    async open(profileId, linkToken, now) {
      if (linkToken.length > maxLinkTokenLength) return undefined
      try {
        const { kid } = decodeProtectedHeader(linkToken)
        const key = keyOf(String(kid), profileId)
        if (!key) return undefined
        const { payload } = await jwtDecrypt(linkToken, key, {
          currentDate: now,
          requiredClaims: ['exp'],
          keyManagementAlgorithms: [encryption.alg],
          contentEncryptionAlgorithms: [encryption.enc],
        })
        return typeof payload.t === 'string' && isUuid(payload.t) ? payload.t : undefined
      } catch {
        // Whatever is wrong with it, the visit counts all the same.
        return undefined
      }
    },
  }
}
