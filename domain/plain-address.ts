/** An address that a parser of URLs would give back as it is, in its parts. */
export interface PlainAddress {
  protocol: 'http:' | 'https:'
  host: string
  pathname: string
  /** Behind the question mark; undefined where it would have to be decoded. */
  query: string | undefined
}

// A name with a top level in letters cannot be a number in disguise, and without an xn-- needs no look at its labels.
const plain = /^(https?:)\/\/([a-z\d.-]+\.[a-z]{2,})(\/[\w~!$&'()*+,;=:@./-]*)?(?:\?([^#]*))?(?:#.*)?$/s
const oddHost = /xn--|\.\.|^\./
const dotSegment = /\/\.{1,2}(?:\/|$)/
const plainQuery = /^(?:[\w.*-]+=[\w.*-]*(?:&|$))*$/

/**
 * Reads an ordinary web address without a parser, which costs more than all that is done with its parts. Undefined for
 * whatever a parser might change: it has the last word.
 */
export function readPlainAddress(raw: string): PlainAddress | undefined {
  const match = plain.exec(raw)
  if (!match) return undefined
  const [, protocol, host, pathname = '/', query = ''] = match
  if (oddHost.test(host!) || dotSegment.test(pathname)) return undefined
  return {
    protocol: protocol as PlainAddress['protocol'],
    host: host!,
    pathname,
    query: plainQuery.test(query) ? query : undefined,
  }
}

/** The names and values of a plain query, in their order. */
export const plainPairs = (query: string): [string, string][] =>
  query === ''
    ? []
    : query.split('&').flatMap((pair): [string, string][] => {
        const at = pair.indexOf('=')
        return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]]
      })
