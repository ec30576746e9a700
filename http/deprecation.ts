import { apiPrefix } from './api-path.ts'

/** An operation that goes away: since when it is not to be used, when it may stop, and what to use instead. */
export interface Deprecation {
  /** Days, `YYYY-MM-DD`. */
  since: string
  sunset: string
  /** Below /api/v1. */
  successor: `/${string}`
}

/** RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version): on every answer of the operation. */
export const deprecationHeaders = ({ since, sunset, successor }: Deprecation): Record<string, string> => ({
  deprecation: `@${Date.parse(since) / 1000}`,
  sunset: new Date(sunset).toUTCString(),
  link: `<${apiPrefix}${successor}>; rel="successor-version"`,
})
