/** The policies of a response. Several may stand in one header, each behind a comma, and each has to agree. */
export const policiesOfHeader = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((policies) => policies.split(','))

/**
 * Whether a page's content-security policies let it load from, or send to, an origin. Each policy has to agree. An
 * element that stands in the page may have a `nonce`; without the element, another script adds it.
 */
export function policyAllows(
  policies: readonly string[],
  kind: 'script-src' | 'connect-src',
  url: string,
  element?: { nonce: string },
): boolean {
  return policies.every((policy) => {
    const directives = parse(policy)
    const chain =
      kind === 'script-src' ? ['script-src-elem', 'script-src', 'default-src'] : ['connect-src', 'default-src']
    const sources = chain.map((name) => directives.get(name)).find((found) => found !== undefined)
    if (sources === undefined) return true
    if (element?.nonce && sources.includes(`'nonce-${element.nonce.toLowerCase()}'`)) return true
    // A script that a trusted script adds is trusted as well, wherever it is; one in the page only by its nonce.
    if (kind === 'script-src' && sources.includes("'strict-dynamic'")) return !element
    return sources.some((source) => matches(source, new URL(url)))
  })
}

function parse(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>()
  for (const part of policy.split(';')) {
    const [name, ...sources] = part.trim().toLowerCase().split(/\s+/)
    if (name && !directives.has(name)) directives.set(name, sources)
  }
  return directives
}

function matches(source: string, url: URL): boolean {
  if (source === '*') return true
  if (/^[a-z]+:$/.test(source)) return source === url.protocol
  const [, scheme, host, port] = /^(?:([a-z]+):\/\/)?([^/:]+)(?::(\d+|\*))?/.exec(source) ?? []
  if (!host || host.startsWith("'")) return false
  if (scheme && `${scheme}:` !== url.protocol && !(scheme === 'http' && url.protocol === 'https:')) return false
  if (port && port !== '*' && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false
  return host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host
}
