import { createHash } from 'node:crypto'

/** The policies of a response. Several may stand in one header, each behind a comma, and each has to agree. */
export const policiesOfHeader = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((policies) => policies.split(','))

type Kind = 'script-src' | 'connect-src'

const directivesFor: Record<Kind, readonly string[]> = {
  'script-src': ['script-src-elem', 'script-src', 'default-src'],
  'connect-src': ['connect-src', 'default-src'],
}

/**
 * Whether a page's content-security policies let it load from, or send to, an origin. Each policy has to agree. An
 * element that stands in the page may have a `nonce`; without the element, another script adds it.
 */
export function policyAllows(
  policies: readonly string[],
  kind: Kind,
  url: string,
  element?: { nonce: string },
): boolean {
  const target = new URL(url)
  return policies.every((policy) => {
    const sources = sourcesOf(policy, kind)
    if (sources === undefined) return true
    if (element?.nonce && sources.includes(`'nonce-${element.nonce}'`)) return true
    // A script that a trusted script adds is trusted as well, wherever it is; one in the page only by its nonce.
    if (kind === 'script-src' && sources.includes("'strict-dynamic'")) return !element
    return sources.some((source) => matches(source, target))
  })
}

/** Whether they let code run that stands in the page: by its nonce, by its hash, or as all code there. */
export function policyAllowsCode(policies: readonly string[], { nonce, text }: { nonce: string; text: string }) {
  const proofs = ['sha256', 'sha384', 'sha512'].map(
    (kind) => `'${kind}-${createHash(kind).update(text).digest('base64')}'`,
  )
  if (nonce) proofs.push(`'nonce-${nonce}'`)
  return policies.every((policy) => {
    const sources = sourcesOf(policy, 'script-src')
    if (sources === undefined || sources.some((source) => proofs.includes(source))) return true
    // A browser that finds a stricter source takes no notice of this one, which is for browsers that know none.
    return sources.includes("'unsafe-inline'") && !sources.some(isStricter)
  })
}

const isStricter = (source: string): boolean => source === "'strict-dynamic'" || proof.test(source)

function sourcesOf(policy: string, kind: Kind): string[] | undefined {
  const directives = parse(policy)
  return directivesFor[kind].map((name) => directives.get(name)).find((found) => found !== undefined)
}

function parse(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>()
  for (const part of policy.split(';')) {
    const [name, ...sources] = part.trim().split(/\s+/)
    if (name && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources.map(comparable))
  }
  return directives
}

const proof = /^'(nonce|sha256|sha384|sha512)-(.+)'$/i

/** In small letters, but for what proves an element: its letters count. A hash may be written as in addresses. */
function comparable(source: string): string {
  const [, kind, value] = proof.exec(source) ?? []
  if (!kind || !value) return source.toLowerCase()
  if (kind.toLowerCase() === 'nonce') return `'nonce-${value}'`
  return `'${kind.toLowerCase()}-${value.replaceAll('-', '+').replaceAll('_', '/')}'`
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
