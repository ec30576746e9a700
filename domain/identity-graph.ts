import type { IdentifierType } from '../schemas/messages.ts'

/** Types that a person holds once: two different values never belong to one customer. */
const heldOnce: ReadonlySet<IdentifierType> = new Set(['national_id', 'crm_contact_id', 'external_customer_id'])

/** An identifier with more partners than this (a clinic's phone) joins nobody. */
export const maxPartners = 50

export interface GraphIdentifier {
  token: string
  type: IdentifierType
  /** Order of the first evidence that named it. */
  firstSeen: string
}

export interface GraphLink {
  a: string
  b: string
  isTrusted: boolean
  evidence: string
}

/** Event time, then id, as one text that sorts: "first wins" is a minimum, whatever arrived first. */
export const evidenceOrder = (eventTimeMs: number, id: string): string =>
  `${String(Math.max(0, eventTimeMs)).padStart(15, '0')}:${id}`

/**
 * Who is whom, as a function of the set of links: the greedy union in the order of their evidence, under the guards.
 * Every identifier is in exactly one of the groups.
 */
export function groupIdentifiers(identifiers: Iterable<GraphIdentifier>, links: Iterable<GraphLink>): string[][] {
  const known = new Map([...identifiers].map((identifier) => [identifier.token, identifier]))
  const groups = disjointSets(known.keys())
  const held = new Map<string, Map<IdentifierType, string>>()
  for (const { token, type } of known.values()) {
    if (heldOnce.has(type)) held.set(token, new Map([[type, token]]))
  }
  const hubs = hubsOf(links)
  for (const link of [...links].sort(byEvidence)) {
    if (hubs.has(link.a) || hubs.has(link.b)) continue
    const [a, b] = [groups.find(link.a), groups.find(link.b)]
    if (a === b || (!link.isTrusted && bothSeenBefore(link, known)) || holdDifferent(held.get(a), held.get(b))) continue
    const root = groups.union(a, b)
    const merged = new Map([...(held.get(a) ?? []), ...(held.get(b) ?? [])])
    if (merged.size > 0) held.set(root, merged)
  }
  return groups.all()
}

/** The closures of links, guards ignored: what a new link can affect. Hubs connect nothing, so they stay small. */
export function clusterIdentifiers(tokens: Iterable<string>, links: Iterable<GraphLink>): string[][] {
  const groups = disjointSets(tokens)
  const hubs = hubsOf(links)
  for (const { a, b } of links) if (!hubs.has(a) && !hubs.has(b)) groups.union(groups.find(a), groups.find(b))
  return groups.all()
}

const byEvidence = (x: GraphLink, y: GraphLink) =>
  compare(x.evidence, y.evidence) || compare(x.a, y.a) || compare(x.b, y.b)

const compare = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0)

export function hubsOf(links: Iterable<GraphLink>): Set<string> {
  const partners = new Map<string, Set<string>>()
  const add = (of: string, partner: string) => {
    const set = partners.get(of)
    if (set) set.add(partner)
    else partners.set(of, new Set([partner]))
  }
  for (const { a, b } of links) {
    add(a, b)
    add(b, a)
  }
  return new Set([...partners].filter(([, set]) => set.size > maxPartners).map(([token]) => token))
}

/** A browser's word may introduce an identifier, but never joins two that were known apart. */
const bothSeenBefore = (link: GraphLink, known: Map<string, GraphIdentifier>) =>
  [link.a, link.b].every((token) => known.get(token)!.firstSeen < link.evidence)

const holdDifferent = (a?: Map<IdentifierType, string>, b?: Map<IdentifierType, string>) =>
  a !== undefined && b !== undefined && [...a].some(([type, token]) => b.has(type) && b.get(type) !== token)

function disjointSets(tokens: Iterable<string>) {
  const parents = new Map<string, string>()
  for (const token of tokens) parents.set(token, token)
  const find = (token: string): string => {
    let root = token
    while (parents.get(root) !== root) root = parents.get(root)!
    for (let at = token; at !== root; ) {
      const next = parents.get(at)!
      parents.set(at, root)
      at = next
    }
    return root
  }
  return {
    find,
    union(a: string, b: string): string {
      const [x, y] = [find(a), find(b)]
      const [root, child] = x < y ? [x, y] : [y, x]
      parents.set(child, root)
      return root
    },
    all: () => [...Map.groupBy(parents.keys(), find).values()],
  }
}
