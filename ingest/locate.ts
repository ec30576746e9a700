import type { IncomingHttpHeaders } from 'node:http'
import { cleanText } from '../domain/text.ts'
import type { IsListed } from '../infra/address-list.ts'
import type { GeoLookup } from '../infra/geoip.ts'

export interface Place {
  country: string | null
  city: string | null
}

export interface Located {
  headers: IncomingHttpHeaders
  /** The client's address; seen through trusted proxies only. */
  ip: string
  /** Who is at the other end of the connection. */
  socket: { remoteAddress?: string | undefined }
}

/** Reads the address and keeps nothing of it. */
export type Locate = (request: Located) => Place

const nowhere: Place = { country: null, city: null }
const countryHeaders = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-appengine-country',
  'fastly-client-country',
  'x-country-code',
]
const cityHeaders = ['cf-ipcity', 'cloudfront-viewer-city', 'x-vercel-ip-city', 'x-appengine-city', 'x-city']
// "Unknown" by Cloudflare and by App Engine, and Tor.
const noCountry = new Set(['XX', 'ZZ', 'T1'])

// How a socket that listens on IPv6 names an IPv4 address.
const mappedIpv4 = /^::ffff:(?=\d+\.)/i

/** The database where it knows the address, else what a trusted proxy says, else nowhere. */
export function locator({ database, isTrustedProxy }: { database?: GeoLookup; isTrustedProxy: IsListed }): Locate {
  return (request) => {
    const { country, city } = database?.(request.ip.replace(mappedIpv4, '')) ?? nowhere
    if (country !== null && isCountry(country)) return { country, city: city && (cleanText(city, 100) || null) }
    return isTrustedProxy(request.socket.remoteAddress) ? placeInHeaders(request.headers) : nowhere
  }
}

function placeInHeaders(headers: IncomingHttpHeaders): Place {
  const country = first(headers, countryHeaders)?.toUpperCase()
  if (!country || !isCountry(country)) return nowhere
  const city = first(headers, cityHeaders)
  return { country, city: (city && cleanText(decode(city), 100)) || null }
}

const isCountry = (code: string) => /^[A-Z]{2}$/.test(code) && !noCountry.has(code)

function first(headers: IncomingHttpHeaders, names: string[]): string | undefined {
  const found = names.map((name) => headers[name]).find(Boolean)
  return typeof found === 'string' ? found.trim() : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
