import {
  type BlockReason,
  type CutSide,
  clusterIdentifiers,
  disjointSets,
  type GraphIdentifier,
  type GraphLink,
  groupIdentifiers,
  hubsOf,
} from './identity-graph.ts'

/** An identifier as Postgres keeps it; a new one has no customer and no cluster yet. */
export interface KnownIdentifier extends GraphIdentifier {
  profileId: string
  value: string | null
  clusterId: string | null
  customerId: string | null
  /** The customer it was first given to: the id that comes back when a union is undone. */
  firstCustomerId: string | null
  isHub: boolean
  erasureId: string | null
  firstName: Ordered | null
  lastName: Ordered | null
}

/** A value of which the earliest wins. */
export interface Ordered {
  value: string
  evidence: string
}

export interface KnownLink extends GraphLink {
  profileId: string
  clusterId: string | null
  blockedBy: BlockReason | null
}

/** Whole clusters. A link's end that is not among the identifiers is a hub with a cluster of its own. */
export interface Clusters {
  identifiers: KnownIdentifier[]
  links: KnownLink[]
  cuts: CutSide[]
  /** Merged-away customers that some of the identifiers once belonged to. */
  formerCustomers: ReadonlySet<string>
}

export interface ResolvedCustomer {
  profileId: string
  customerId: string
  firstName: string | null
  lastName: string | null
  mergedInto: string | null
}

export type ResolvedIdentifier = KnownIdentifier & { clusterId: string; customerId: string; firstCustomerId: string }

/** Which customer went into which, and by which link; or which one was taken out of which. */
export interface LedgerLine {
  profileId: string
  kind: 'merge' | 'split'
  survivorId: string
  otherId: string
  link: GraphLink | null
}

export interface Resolution {
  identifiers: ResolvedIdentifier[]
  links: (KnownLink & { clusterId: string })[]
  customers: ResolvedCustomer[]
  /** Tokens whose customer changed, or whose customer lost a member: their place in the map is told again. */
  moved: ResolvedIdentifier[]
  ledger: LedgerLine[]
}

export const earliest = (a: Ordered | null, b: Ordered | null): Ordered | null =>
  !a || !b ? (a ?? b) : b.evidence < a.evidence ? b : a

/** Groups whole clusters anew and gives each group its customer. */
export function resolveClusters(clusters: Clusters, newCustomerId: () => string): Resolution {
  const { identifiers, links, cuts } = clusters
  const byToken = new Map(identifiers.map((identifier) => [identifier.token, identifier]))
  const hubs = hubsOf(links)
  for (const { token, isHub } of identifiers) if (isHub) hubs.add(token)
  for (const { a, b } of links) for (const end of [a, b]) if (!byToken.has(end)) hubs.add(end)

  const clusterOf = new Map<string, string>()
  for (const cluster of clusterIdentifiers(byToken.keys(), links, hubs)) {
    const id = cluster.reduce((least, token) => (token < least ? token : least))
    for (const token of cluster) clusterOf.set(token, id)
  }
  const { groups, joins, blocked } = groupIdentifiers(identifiers, links, { cuts, hubs })
  const { customerOf, customers } = assignCustomers(
    groups.map((tokens) => tokens.map((token) => byToken.get(token)!)),
    clusters,
    newCustomerId,
  )
  const isChanged = (i: KnownIdentifier) => i.customerId !== null && customerOf.get(i.token) !== i.customerId
  const lostMembers = new Set(identifiers.filter(isChanged).map((i) => i.customerId))
  const resolved = identifiers.map((i) => ({
    ...i,
    isHub: hubs.has(i.token),
    clusterId: clusterOf.get(i.token)!,
    customerId: customerOf.get(i.token)!,
    firstCustomerId: i.firstCustomerId ?? customerOf.get(i.token)!,
  }))
  return {
    identifiers: resolved,
    // A hub's link lives with its partner, whose partners it counts among; the hub's own need no counting any more.
    links: links.map((link) => ({
      ...link,
      clusterId: (hubs.has(link.a) ? clusterOf.get(link.b) : undefined) ?? clusterOf.get(link.a) ?? link.clusterId!,
      blockedBy: blocked.get(link) ?? null,
    })),
    customers,
    moved: resolved.filter((_, at) => {
      const before = identifiers[at]!.customerId
      return !before || lostMembers.has(before)
    }),
    ledger: ledgerLines(identifiers.filter(isChanged), identifiers, customerOf, customers, joins),
  }
}

/**
 * The customer that a group's first-seen member has, else one that a member had before it was merged away, else a new
 * one. What an unmerge took out leaves the id to who remains. An id that no group takes leads to where its first
 * member is.
 */
function assignCustomers(
  groups: KnownIdentifier[][],
  { identifiers, cuts, formerCustomers }: Clusters,
  newCustomerId: () => string,
) {
  const claimed = new Set<string>()
  const customerOf = new Map<string, string>()
  const customers: ResolvedCustomer[] = []
  const separated = new Set(cuts.flatMap(({ token, side }) => (side === 'separated' ? token : [])))
  const isSeparated = (members: KnownIdentifier[]) => Number(members.some(({ token }) => separated.has(token)))
  const sorted = groups
    .map((members) => members.toSorted(byFirstSeen))
    .toSorted((x, y) => isSeparated(x) - isSeparated(y) || byFirstSeen(x[0]!, y[0]!))
    .map((members) => ({ members, customerId: claim(idsOf(members)) }))
  function claim(candidates: (string | null)[]): string | undefined {
    const id = candidates.find((candidate) => candidate !== null && !claimed.has(candidate)) ?? undefined
    if (id) claimed.add(id)
    return id
  }
  for (const { members, customerId: inherited } of sorted) {
    const former = () => claim(members.map((m) => m.firstCustomerId).filter((id) => id && formerCustomers.has(id)))
    const customerId = inherited ?? former() ?? newCustomerId()
    for (const { token } of members) customerOf.set(token, customerId)
    customers.push({
      profileId: members[0]!.profileId,
      customerId,
      firstName: members.map((m) => m.firstName).reduce(earliest, null)?.value ?? null,
      lastName: members.map((m) => m.lastName).reduce(earliest, null)?.value ?? null,
      mergedInto: null,
    })
  }
  const losers = new Map<string, ResolvedCustomer>()
  const lose = (id: string | null, { profileId, token }: KnownIdentifier) => {
    if (!id || claimed.has(id) || losers.has(id)) return
    const mergedInto = customerOf.get(token)!
    losers.set(id, { profileId, customerId: id, firstName: null, lastName: null, mergedInto })
  }
  const inOrder = identifiers.toSorted(byFirstSeen)
  const current = new Set(identifiers.map((i) => i.customerId))
  for (const i of inOrder) {
    const first = i.firstCustomerId
    if (first && (current.has(first) || formerCustomers.has(first))) lose(first, i)
  }
  for (const i of inOrder) lose(i.customerId, i)
  return { customerOf, customers: [...customers, ...losers.values()] }
}

/** Ids that members have: those that some member was first given before others, so that an undone cut ends where it began. */
function idsOf(members: KnownIdentifier[]): (string | null)[] {
  const current = members.map((m) => m.customerId)
  const held = new Set(current)
  return [...members.map((m) => m.firstCustomerId).filter((id) => held.has(id)), ...current]
}

function ledgerLines(
  changed: KnownIdentifier[],
  identifiers: KnownIdentifier[],
  customerOf: Map<string, string>,
  customers: ResolvedCustomer[],
  joins: GraphLink[],
): LedgerLine[] {
  if (changed.length === 0) return []
  const mergedInto = new Map(customers.map((customer) => [customer.customerId, customer.mergedInto]))
  const lines = new Map<string, LedgerLine & { token: string }>()
  for (const { profileId, token, customerId } of changed) {
    const [from, to] = [customerId!, customerOf.get(token)!]
    if (lines.has(from + to)) continue
    const isMerge = mergedInto.get(from) === to
    const [survivorId, otherId] = isMerge ? [to, from] : [from, to]
    lines.set(from + to, { profileId, kind: isMerge ? 'merge' : 'split', survivorId, otherId, link: null, token })
  }
  findJoiningLinks(
    [...lines.values()].filter((line) => line.kind === 'merge'),
    identifiers,
    customerOf,
    joins,
  )
  return [...lines.values()].map(({ token, ...line }) => line)
}

/** The link that joined whom: the first, with the members of each former customer taken as one, that connects the two. */
function findJoiningLinks(
  merges: (LedgerLine & { token: string })[],
  identifiers: KnownIdentifier[],
  customerOf: Map<string, string>,
  joins: GraphLink[],
): void {
  if (merges.length === 0) return
  const merging = new Set(merges.map((line) => line.survivorId))
  const members = identifiers.filter((i) => merging.has(customerOf.get(i.token)!))
  const sets = disjointSets(members.map((i) => i.token))
  const before = new Map<string, string>()
  for (const { token, customerId } of members) {
    if (!customerId) continue
    const key = `${customerId}${customerOf.get(token)}`
    const sibling = before.get(key)
    if (sibling) sets.union(sibling, token)
    else before.set(key, token)
  }
  const joinsOf = Map.groupBy(joins, (join) => customerOf.get(join.a)!)
  for (const [survivorId, lines] of Map.groupBy(merges, (line) => line.survivorId)) {
    const survivor = before.get(survivorId + survivorId)
    if (!survivor) continue
    let open = lines
    for (const join of joinsOf.get(survivorId) ?? []) {
      sets.union(join.a, join.b)
      for (const line of open) if (sets.find(line.token) === sets.find(survivor)) line.link = join
      open = open.filter((line) => !line.link)
      if (open.length === 0) break
    }
  }
}

const byFirstSeen = (x: KnownIdentifier, y: KnownIdentifier) =>
  x.firstSeen < y.firstSeen || (x.firstSeen === y.firstSeen && x.token < y.token) ? -1 : 1
