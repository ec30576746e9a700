import { plainPairs, readPlainAddress } from './plain-address.ts'
import { hasEmail } from './text.ts'

const utmNames = ['source', 'medium', 'campaign', 'id', 'content', 'term'] as const
const clickIdNames = [
  'gclid',
  'wbraid',
  'gbraid',
  'gad_source',
  'fbclid',
  'ttclid',
  'msclkid',
  'li_fat_id',
  'twclid',
  'ctwa_clid',
] as const
export type ClickIdName = (typeof clickIdNames)[number]

export interface Click {
  /** Scheme, host, path and the allow-listed query. */
  url: string | null
  path: string | null
  utm: Record<string, string>
  clickIds: Record<string, string>
  /** Platform ids of the ad that was clicked, from the service's own URL parameters. */
  campaignRef: string | null
  adSetRef: string | null
  adRef: string | null
}

const maxPath = 1024
const maxTag = 256
const maxClickId = 512

const utmParameters = new Map<string, string>(utmNames.map((name) => [`utm_${name}`, name]))
const clickIdParameters = new Set<string>(clickIdNames)
const refParameters = { svc_campaign_id: 'campaignRef', svc_ad_set_id: 'adSetRef', svc_ad_id: 'adRef' } as const

const noClick = (): Click => ({
  url: null,
  path: null,
  utm: {},
  clickIds: {},
  campaignRef: null,
  adSetRef: null,
  adRef: null,
})

/** What may be kept of the address of a page: never its free query, never a person in its path. */
export function reduceUrl(raw: string): Click {
  const click = noClick()
  const plain = readPlainAddress(raw)
  if (plain?.query !== undefined) {
    const kept = keepQuery(click, plainPairs(plain.query))
    click.path = cleanPath(plain.pathname)
    const query = kept.map(([name, value]) => `${name}=${value}`).join('&')
    click.url = `${plain.protocol}//${plain.host}${click.path}${query && '?'}${query}`
    return click
  }
  const parsed = parseUrl(raw)
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return click
  const kept = parsed.search ? keepQuery(click, parsed.searchParams) : []
  click.path = cleanPath(parsed.pathname)
  const query = kept.length > 0 ? `?${new URLSearchParams(kept)}` : ''
  click.url = `${parsed.protocol}//${parsed.host}${click.path}${query}`
  return click
}

function keepQuery(click: Click, sent: Iterable<[string, string]>): [string, string][] {
  const kept: [string, string][] = []
  // The first of several values counts, so that nothing appended later changes where a visit came from.
  for (const [parameter, value] of sent) {
    const name = parameter.toLowerCase()
    if (!kept.some(([known]) => known === name) && keep(click, name, value)) kept.push([name, keptValue(click, name)])
  }
  return kept
}

/** Scheme, host and path; a site that sends its search words or its users' ids in the query keeps them to itself. */
export function reduceReferrer(raw: string): string | null {
  const plain = readPlainAddress(raw)
  if (plain) return `${plain.protocol}//${plain.host}${cleanPath(plain.pathname)}`
  const parsed = parseUrl(raw)
  if (!parsed?.host || !/^(https?|android-app|ios-app):$/.test(parsed.protocol)) return null
  return `${parsed.protocol}//${parsed.host}${cleanPath(parsed.pathname)}`
}

/** The known click ids of an object that a server sent; anything else in it is cut. */
export function knownClickIds(sent: Record<string, unknown>): Record<string, string> {
  const known: Record<string, string> = {}
  for (const name of clickIdNames) {
    const value = sent[name]
    const clean = typeof value === 'string' ? cleanClickId(value) : undefined
    if (clean) known[name] = clean
  }
  return known
}

const refShape = /^[\w.:-]{1,128}$/
export const isPlatformId = (value: string): boolean => refShape.test(value)

function keep(click: Click, name: string, value: string): boolean {
  const utm = utmParameters.get(name)
  if (utm) return put(click.utm, utm, cleanTag(value))
  if (clickIdParameters.has(name)) return put(click.clickIds, name, cleanClickId(value))
  if (Object.hasOwn(refParameters, name) && isPlatformId(value)) {
    click[refParameters[name as keyof typeof refParameters]] = value
    return true
  }
  return false
}

function keptValue(click: Click, name: string): string {
  const utm = utmParameters.get(name)
  if (utm) return click.utm[utm]!
  if (clickIdParameters.has(name)) return click.clickIds[name]!
  return click[refParameters[name as keyof typeof refParameters]]!
}

function put(map: Record<string, string>, name: string, value: string | undefined): boolean {
  if (!value) return false
  map[name] = value
  return true
}

/** Most tags: nothing to clean or cut, no @ of an address, no + of a number. */
const plainTag = /^[\w.*-]{1,256}$/

function cleanTag(value: string): string | undefined {
  if (plainTag.test(value)) return value
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  // Before the cut, which may go through an address and leave most of it.
  // A tag that was escaped twice is still escaped here.
  const plain = decode(text)
  return hasEmail(plain) || dialledNumber.test(plain) ? undefined : cut(text, maxTag)
}

function cleanClickId(value: string): string | undefined {
  const text = value.trim()
  return text.length <= maxClickId && /^[\w.~:=+/%-]+$/.test(text) ? text : undefined
}

function parseUrl(raw: string): URL | null {
  return URL.parse(raw.toWellFormed().trim())
}

const dialledNumber = /^\+\d[\d\s().-]{6,18}$/
// Nine to fifteen digits are a phone number as likely as an order: a path keeps neither.
const phoneLike = /^(tel:)?\+?(?:[\s().-]*\d){9,15}[\s().-]*$/i
const shortDialled = /^\+(?:[\s().-]*\d){7,15}$/
const rutLike = /^\d{1,2}\.?\d{3}\.?\d{3}-?[\dk]$/i

// With the slashes between them alone, so many are longer than what is kept: no further one can matter.
const mostSegments = maxPath + 2

function cleanPath(path: string): string {
  if (path === '/') return path
  const cleaned = path
    .split('/', mostSegments)
    .map((segment) => (segment ? cleanSegment(segment) : segment))
    .join('/')
  // A cut in the middle of a percent escape would leave a path that cannot be decoded.
  return cleaned.length > maxPath ? cleaned.slice(0, maxPath).replace(/%[0-9A-F]?$/i, '') : cleaned
}

// The shortest national id without dots; an e-mail address needs its @, plain or escaped.
const shortestPerson = 8

function cleanSegment(segment: string): string {
  if (!/[\d@%]/.test(segment) || (segment.length < shortestPerson && !/[@%]/.test(segment))) return segment
  // As a whole, however long: in a part of it a person may be cut in the middle, and then looks like none.
  const text = decode(decode(segment))
  if (hasEmail(text)) return ':email'
  if (phoneLike.test(text) || shortDialled.test(text)) return ':phone'
  return rutLike.test(text) && /[.-]|k$/i.test(text) ? ':national_id' : segment
}

function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Something in it is no escape. What names a person is written in ASCII, each sign by itself.
    return text.replace(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}

const cut = (text: string, max: number) => (text.length > max ? text.slice(0, max).toWellFormed() : text)
