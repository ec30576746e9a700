import { type IdentifierType, identifierTypes } from '../schemas/messages.ts'

/** Types that a person holds once: two different values never belong to one customer. */
const heldOnce: ReadonlySet<IdentifierType> = new Set(['national_id', 'crm_contact_id', 'external_customer_id'])

/** An identifier with more partners than this (a clinic's phone) joins nobody. */
export const maxPartners = 50

export interface GraphIdentifier {
  token: string
  type: IdentifierType
  /** The system that gave it, where known: a person may be a contact of two CRMs, once in each. */
  namespace: string | null
  /** Order of the first evidence that named it. */
  firstSeen: string
  /** The erasure that took its value away. */
  erasureId?: string | null
}

export interface GraphLink {
  a: string
  b: string
  isTrusted: boolean
  evidence: string
}

export const cutSides = ['kept', 'separated'] as const

/** A token's place in an unmerge: nobody holds tokens of both sides of one cut. */
export interface CutSide {
  cutId: string
  token: string
  side: (typeof cutSides)[number]
}

/** Why a link joins nobody, in the order in which the guards are asked. */
const blockReasons = ['hub', 'erased', 'cut', 'different_held_once', 'browser_cannot_join'] as const
export type BlockReason = (typeof blockReasons)[number]

export interface Grouping {
  /** Every identifier is in exactly one of them. */
  groups: string[][]
  /** The links that joined two groups, in the order in which they did. */
  joins: GraphLink[]
  /** The links between identifiers that stayed apart. */
  blocked: Map<GraphLink, BlockReason>
}

/**
 * Event time, then id, then the message's version, as one text that sorts: "first wins" is a minimum, whatever arrived
 * first. Versions decide only between messages about one thing, where order is data.
 */
export const evidenceOrder = (eventTimeMs: number, id: string, version = 0n): string =>
  `${String(Math.max(0, eventTimeMs)).padStart(15, '0')}:${id}:${version.toString(16).padStart(32, '0')}`

export interface Guards {
  cuts?: readonly CutSide[]
  hubs?: ReadonlySet<string>
}

/**
 * Who is whom, as a function of the sets of links and cuts: the greedy union in the order of their evidence, under the
 * guards.
 */
export function groupIdentifiers(
  identifiers: readonly GraphIdentifier[],
  links: readonly GraphLink[],
  { cuts = [], hubs = hubsOf(links) }: Guards = {},
): Grouping {
  const groups = disjointSets(identifiers.map(({ token }) => token))
  const firstSeen = new Map(identifiers.map((identifier) => [identifier.token, identifier.firstSeen]))
  const held = heldBy(identifiers, cuts)
  const joins: GraphLink[] = []
  const blocked = new Map<GraphLink, BlockReason>()

  for (const link of links.toSorted(byEvidence(identifiers))) {
    if (hubs.has(link.a) || hubs.has(link.b)) {
      blocked.set(link, 'hub')
      continue
    }
    const [a, b] = [groups.find(link.a), groups.find(link.b)]
    if (a === b) continue
    // A browser's word may introduce an identifier, but never joins two people who were known before.
    const areBothKnown = firstSeen.get(a)! < link.evidence && firstSeen.get(b)! < link.evidence
    const reason =
      conflict(held.get(a), held.get(b)) ?? (!link.isTrusted && areBothKnown ? 'browser_cannot_join' : null)
    if (reason) {
      blocked.set(link, reason)
      continue
    }
    const [ofA, ofB, seenA, seenB] = [held.get(a), held.get(b), firstSeen.get(a)!, firstSeen.get(b)!]
    const root = groups.union(a, b)
    firstSeen.set(root, seenA < seenB ? seenA : seenB)
    if (ofA || ofB) held.set(root, new Map([...(ofA ?? []), ...(ofB ?? [])]))
    joins.push(link)
  }
  // What one link could not join, a later one may have.
  for (const [link, reason] of blocked) {
    if (reason !== 'hub' && groups.find(link.a) === groups.find(link.b)) blocked.delete(link)
  }
  return { groups: groups.all(), joins, blocked }
}

/** The closures of links, guards ignored: what a new link can affect. Hubs connect nothing, so they stay small. */
export function clusterIdentifiers(
  tokens: Iterable<string>,
  links: Iterable<GraphLink>,
  hubs: ReadonlySet<string>,
): string[][] {
  const groups = disjointSets(tokens)
  for (const { a, b } of links) if (!hubs.has(a) && !hubs.has(b)) groups.union(a, b)
  return groups.all()
}

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

/**
 * By evidence; the pairs of one message strongest first, by their types and not by their tokens, which are random: the
 * same history groups alike wherever it is told.
 */
function byEvidence(identifiers: readonly GraphIdentifier[]) {
  const strength = new Map(identifiers.map(({ token, type }) => [token, identifierTypes.indexOf(type)]))
  const pair = ({ a, b }: GraphLink) => {
    const [x = identifierTypes.length, y = identifierTypes.length] = [strength.get(a), strength.get(b)]
    return Math.min(x, y) * (identifierTypes.length + 1) + Math.max(x, y)
  }
  return (x: GraphLink, y: GraphLink) =>
    compare(x.evidence, y.evidence) ||
    pair(x) - pair(y) ||
    compare(x.a, y.a) ||
    compare(x.b, y.b) ||
    Number(y.isTrusted) - Number(x.isTrusted)
}

const compare = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0)

/** What a person has one of: under each key, its value and the guard that keeps it single. */
type Held = Map<string, { value: string; guard: BlockReason }>

function heldBy(identifiers: readonly GraphIdentifier[], cuts: Iterable<CutSide>): Map<string, Held> {
  const held = new Map<string, Held>()
  const hold = (token: string, key: string, value: string, guard: BlockReason) => {
    const known = held.get(token)
    if (known) known.set(key, { value, guard })
    else held.set(token, new Map([[key, { value, guard }]]))
  }
  for (const { cutId, token, side } of cuts) hold(token, `cut ${cutId}`, side, 'cut')
  for (const { token, type, namespace } of identifiers) {
    if (heldOnce.has(type)) hold(token, `${type} ${namespace ?? ''}`, token, 'different_held_once')
  }
  // Who was erased stays as grouped as it was, and never becomes part of somebody who is not.
  if (identifiers.some(({ erasureId }) => erasureId)) {
    for (const { token, erasureId } of identifiers) hold(token, 'erasure', erasureId ?? 'none', 'erased')
  }
  return held
}

/** The first guard, in their order, that two groups would break together. */
function conflict(a: Held | undefined, b: Held | undefined): BlockReason | null {
  if (!a || !b) return null
  const broken = [...a].filter(([key, { value }]) => b.has(key) && b.get(key)!.value !== value)
  return blockReasons.find((reason) => broken.some(([, { guard }]) => guard === reason)) ?? null
}

export function disjointSets(tokens: Iterable<string>) {
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
