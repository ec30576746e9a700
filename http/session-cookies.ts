import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey, keyLabels } from '../domain/sealing.ts'
import type { Presented } from './caller.ts'

export interface SessionCookies {
  read(presented: Presented): string | undefined
  /** The value of a Set-Cookie header. */
  write(secret: string, maxAgeSeconds: number): string
  clear(): string
  /** What a page of ours sends back as X-CSRF-Token; another site can make a browser send the cookie, but not this. */
  csrfToken(sessionId: string): string
  isOurs(presented: Presented, sessionId: string): boolean
  /** Not sent by another site's page, as far as the browser tells; a caller that is no browser tells nothing. */
  isSameSite(presented: Presented): boolean
}

const isHttps = (baseUrl: string) => baseUrl.startsWith('https:')

/** Browsers take the __Host- prefix only with Secure, and Secure only over https. */
export const cookieName = (baseUrl: string) => (isHttps(baseUrl) ? '__Host-touchline_session' : 'touchline_session')

export function sessionCookies(options: { baseUrl: string; apiUrl: string; secret: Buffer }): SessionCookies {
  const name = cookieName(options.baseUrl)
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps(options.baseUrl) ? '; Secure' : ''}`
  const origins = [options.baseUrl, options.apiUrl].map((url) => new URL(url).origin)
  const key = deriveKey(options.secret, keyLabels.csrf)
  const csrfToken = (sessionId: string) => createHmac('sha256', key).update(sessionId).digest('base64url')

  const isSameSite = ({ headers }: Presented): boolean => {
    const site = headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
    const { origin, host } = headers
    return origin === undefined || origins.includes(origin) || (URL.canParse(origin) && new URL(origin).host === host)
  }

  return {
    read({ headers }) {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2))
      return pairs.find(([found]) => found === name)?.[1]
    },
    write: (secret, maxAgeSeconds) => `${name}=${secret}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    csrfToken,
    isSameSite,
    isOurs(presented, sessionId) {
      const sent = Buffer.from(String(presented.headers['x-csrf-token'] ?? ''))
      const expected = Buffer.from(csrfToken(sessionId))
      return isSameSite(presented) && sent.length === expected.length && timingSafeEqual(sent, expected)
    },
  }
}
