import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { deriveKey, keyLabels } from '../domain/sealing.ts'

export interface TokenKey {
  id: string
  secret: Buffer
}

const Claims = z.object({
  token_use: z.enum(['app', 'mcp']),
  /** The app, or the person. */
  sub: z.uuid(),
  jti: z.uuid(),
  scope: z.string(),
})

export interface AccessToken {
  kind: 'app' | 'mcp'
  subject: string
  id: string
  scopes: string[]
}

export interface AccessTokens {
  issue(token: AccessToken, expiresAt: Date): Promise<string>
  /** Nothing for a token that is not ours, not valid any more, or signed in any other way. */
  read(text: string): Promise<AccessToken | undefined>
}

// One algorithm, and a symmetric one: nobody but this service reads its tokens, and a token cannot choose another.
const algorithm = 'HS256'
const issuer = 'touchline'
const audience = 'touchline:api'

/** The first key signs, all of them verify: a new one is put in front, and the old one goes when its tokens are over. */
export function accessTokens(keys: readonly [TokenKey, ...TokenKey[]]): AccessTokens {
  const byId = new Map(keys.map(({ id, secret }) => [id, secret]))
  const [signing] = keys
  return {
    issue: ({ kind, subject, id, scopes }, expiresAt) =>
      new SignJWT({ token_use: kind, scope: scopes.join(' ') })
        .setProtectedHeader({ alg: algorithm, kid: signing.id, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(id)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(signing.secret),
    async read(text) {
      try {
        const keyOf = ({ kid }: { kid?: string }) => {
          const secret = byId.get(kid ?? '')
          if (!secret) throw new errors.JWSInvalid('no such key')
          return secret
        }
        const rules = { algorithms: [algorithm], issuer, audience, typ: 'at+jwt', requiredClaims: ['exp'] }
        const { payload } = await jwtVerify(text, keyOf, rules)
        const { token_use, sub, jti, scope } = Claims.parse(payload)
        return { kind: token_use, subject: sub, id: jti, scopes: scope.split(' ').filter(Boolean) }
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) return undefined
        throw error
      }
    },
  }
}

/** As configured, or one key that comes from the root secret. */
export const tokenKeys = (configured: readonly TokenKey[], rootSecret: Buffer): readonly [TokenKey, ...TokenKey[]] => {
  const [first, ...rest] = configured
  return first ? [first, ...rest] : [{ id: 'root', secret: deriveKey(rootSecret, keyLabels.accessTokens) }]
}
