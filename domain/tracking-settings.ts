export const consentModes = ['required', 'not_required'] as const
export const spaModes = ['history', 'hash', 'off'] as const
export const locationDetails = ['city', 'country', 'none'] as const

/** What a profile says about its tracker and about what is kept of a hit. */
export interface TrackingSettings {
  consent_mode: (typeof consentModes)[number]
  honour_gpc: boolean
  honour_dnt: boolean
  spa_mode: (typeof spaModes)[number]
  /** Null is the widest domain that the browser takes. */
  cookie_domain: string | null
  cookie_days: number
  /**
   * Origins whose hits are taken, `https://*.example.com` for all subdomains, `null` for frames without one, such as a
   * store's pixel; none listed is all.
   */
  allowed_origins: string[]
  location_detail: (typeof locationDetails)[number]
}

export const defaultTrackingSettings: TrackingSettings = {
  consent_mode: 'not_required',
  honour_gpc: true,
  honour_dnt: false,
  spa_mode: 'history',
  cookie_domain: null,
  cookie_days: 395,
  allowed_origins: [],
  location_detail: 'city',
}

const hostShape = /^(?=.{1,253}$)(?!.*\.\.)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** A name in the way DNS writes it; an international one in its ASCII form. */
export const isHostName = (text: string): boolean => hostShape.test(text) && !/^[\d.]+$/.test(text)

/** What a browser sends for a sandboxed frame. */
export const noOrigin = 'null'

/** `https://shop.example.com`, a port if need be, `https://*.example.com`, or `null`. */
export function isOriginPattern(text: string): boolean {
  if (text === noOrigin) return true
  const [, scheme, host, port] = /^(https?):\/\/(?:\*\.)?([a-z0-9.-]+)(?::([1-9]\d{0,4}))?$/.exec(text) ?? []
  if (!scheme || !host) return false
  return (isHostName(host) || /^\d+\.\d+\.\d+\.\d+$/.test(host)) && (port === undefined || Number(port) <= 65_535)
}

/** As browsers write it: without the port that the scheme has anyway. */
export const plainOrigin = (origin: string): string => origin.replace(/^(https:.+):443$|^(http:.+):80$/, '$1$2')

export function isAllowedOrigin(allowed: readonly string[], origin: string | undefined): boolean {
  if (allowed.length === 0) return true
  if (!origin) return false
  const sent = plainOrigin(origin.toLowerCase())
  return allowed.some((kept) => {
    // Some were kept with the port.
    const pattern = plainOrigin(kept)
    const [scheme = '', host = ''] = pattern.split('://')
    if (!host.startsWith('*.')) return sent === pattern
    return (
      sent.startsWith(`${scheme}://`) && sent.endsWith(host.slice(1)) && sent.length > scheme.length + 2 + host.length
    )
  })
}
