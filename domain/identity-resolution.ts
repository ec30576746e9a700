import type { IdentifierType } from '../schemas/messages.ts'
import { clusterIdentifiers, type GraphLink, groupIdentifiers, hubsOf } from './identity-graph.ts'

/** An identifier as Postgres keeps it; a new one has no customer and no cluster yet. */
export interface KnownIdentifier {
  profileId: string
  token: string
  type: IdentifierType
  value: string | null
  clusterId: string | null
  customerId: string | null
  firstSeen: string
  isHub: boolean
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
}

export interface ResolvedCustomer {
  profileId: string
  customerId: string
  firstName: string | null
  lastName: string | null
  mergedInto: string | null
}

export interface Resolution {
  identifiers: (KnownIdentifier & { clusterId: string; customerId: string })[]
  links: (KnownLink & { clusterId: string })[]
  customers: ResolvedCustomer[]
  /** Tokens whose customer changed, or whose customer lost a member: their place in the map is told again. */
  moved: string[]
}

export const earliest = (a: Ordered | null, b: Ordered | null): Ordered | null =>
  !a || !b ? (a ?? b) : b.evidence < a.evidence ? b : a

/** Groups whole clusters anew and gives each group its customer: the one its first-seen member already had, else a new one. */
export function resolveClusters(
  identifiers: KnownIdentifier[],
  links: KnownLink[],
  newCustomerId: () => string,
): Resolution {
  const byToken = new Map(identifiers.map((identifier) => [identifier.token, identifier]))
  const hubs = hubsOf(links)
  for (const { token, isHub } of identifiers) if (isHub) hubs.add(token)
  const alive = links.filter((link) => !hubs.has(link.a) && !hubs.has(link.b))

  const clusterOf = new Map<string, string>()
  for (const cluster of clusterIdentifiers(byToken.keys(), alive)) {
    const id = cluster.reduce((least, token) => (token < least ? token : least))
    for (const token of cluster) clusterOf.set(token, id)
  }

  const groups = groupIdentifiers(identifiers, alive)
    .map((tokens) => tokens.map((token) => byToken.get(token)!).sort(byFirstSeen))
    .sort((x, y) => byFirstSeen(x[0]!, y[0]!))
  const claimed = new Set<string>()
  const customerOf = new Map<string, string>()
  const customers: ResolvedCustomer[] = []
  for (const members of groups) {
    const inherited = members.find((m) => m.customerId && !claimed.has(m.customerId))?.customerId
    const customerId = inherited ?? newCustomerId()
    claimed.add(customerId)
    for (const { token } of members) customerOf.set(token, customerId)
    customers.push({
      profileId: members[0]!.profileId,
      customerId,
      firstName: members.map((m) => m.firstName).reduce(earliest, null)?.value ?? null,
      lastName: members.map((m) => m.lastName).reduce(earliest, null)?.value ?? null,
      mergedInto: null,
    })
  }
  const losers = new Map<string, string>()
  const lostMembers = new Set<string>()
  for (const { token, customerId } of [...identifiers].sort(byFirstSeen)) {
    if (!customerId || customerOf.get(token) === customerId) continue
    lostMembers.add(customerId)
    if (!claimed.has(customerId) && !losers.has(customerId)) losers.set(customerId, customerOf.get(token)!)
  }
  const profileOf = new Map(identifiers.map((i) => [i.customerId, i.profileId]))
  for (const [customerId, mergedInto] of losers) {
    customers.push({ profileId: profileOf.get(customerId)!, customerId, firstName: null, lastName: null, mergedInto })
  }
  return {
    identifiers: identifiers.map((i) => ({
      ...i,
      isHub: hubs.has(i.token),
      clusterId: clusterOf.get(i.token)!,
      customerId: customerOf.get(i.token)!,
    })),
    links: links.map((link) => ({ ...link, clusterId: clusterOf.get(link.a)! })),
    customers,
    moved: identifiers
      .filter((i) => i.customerId !== customerOf.get(i.token) || lostMembers.has(i.customerId!))
      .map((i) => i.token),
  }
}

const byFirstSeen = (x: KnownIdentifier, y: KnownIdentifier) =>
  x.firstSeen < y.firstSeen || (x.firstSeen === y.firstSeen && x.token < y.token) ? -1 : 1
