import type { IncomingHttpHeaders } from 'node:http'
import { cleanText } from '../domain/text.ts'

export interface Place {
  country: string | null
  city: string | null
}

export type Locate = (request: { headers: IncomingHttpHeaders; ip: string }) => Place

const nowhere: Place = { country: null, city: null }
const countryHeaders = ['cf-ipcountry', 'cloudfront-viewer-country', 'x-vercel-ip-country', 'x-country-code']
const cityHeaders = ['cf-ipcity', 'cloudfront-viewer-city', 'x-vercel-ip-city', 'x-city']
// Cloudflare's marks for "unknown" and for Tor.
const noCountry = new Set(['XX', 'T1'])

/** Where a proxy in front says the request came from. Only for a service that nobody reaches around its proxy. */
export const locateByProxyHeaders: Locate = ({ headers }) => {
  const country = first(headers, countryHeaders)?.toUpperCase()
  if (!country || !/^[A-Z]{2}$/.test(country) || noCountry.has(country)) return nowhere
  const city = first(headers, cityHeaders)
  return { country, city: (city && cleanText(decode(city), 100)) || null }
}

export const locateNowhere: Locate = () => nowhere

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
