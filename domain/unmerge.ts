import { disjointSets, type GraphLink } from './identity-graph.ts'
import { uuidv5 } from './ids.ts'

export interface NewCut {
  profileId: string
  kept: string[]
  separated: string[]
}

/** The same cut made twice is one cut. */
export const cutIdOf = ({ profileId, kept, separated }: NewCut): string =>
  uuidv5(profileId, `cut:${kept.toSorted().join()}:${separated.toSorted().join()}`)

/**
 * What stays with the anchor when tokens are taken out of a customer: what its links still hold to it without them.
 * What came in through a separated token alone is on neither side and goes where its evidence leads.
 */
export function keptWith(
  anchor: string,
  members: readonly string[],
  links: readonly GraphLink[],
  separated: ReadonlySet<string>,
): string[] {
  const rest = new Set(members.filter((token) => !separated.has(token)))
  const groups = disjointSets(rest)
  for (const { a, b } of links) if (rest.has(a) && rest.has(b)) groups.union(a, b)
  return [...rest].filter((token) => groups.find(token) === groups.find(anchor))
}
