import type { CutSide } from '../../domain/identity-graph.ts'
import type { Resolution } from '../../domain/identity-resolution.ts'
import { maskIdentifier } from '../../domain/mask.ts'
import type { CustomerIdentity, HeldIdentifier } from '../../postgres/stores/identity-view.ts'

type Named = Pick<HeldIdentifier, 'token' | 'type' | 'value'>

const masked = ({ token, type, value }: Named) => ({ type, value: maskIdentifier(type, value), token })
const timeOf = (evidence: string) => new Date(Number(evidence.split(':')[0])).toISOString()

/** A customer as it is shown: every value masked. */
export function describe(customerId: string, identity: CustomerIdentity) {
  const byToken = new Map<string, Named>([...identity.identifiers, ...identity.strangers].map((i) => [i.token, i]))
  const name = (token: string) => {
    const known = byToken.get(token)
    return known ? masked(known) : { type: null, value: null, token }
  }
  return {
    customer_id: customerId,
    identifiers: identity.identifiers.map((i) => ({
      ...masked(i),
      first_seen: timeOf(i.firstSeen),
      is_hub: i.isHub,
    })),
    visitors: identity.visitorCount,
    blocked_links: identity.links.flatMap(({ a, b, isTrusted, evidence, blockedBy }) =>
      blockedBy ? { reason: blockedBy, a: name(a), b: name(b), is_trusted: isTrusted, at: timeOf(evidence) } : [],
    ),
    cuts: [...Map.groupBy(identity.cuts, ({ cutId }) => cutId)].map(([cutId, sides]) => ({
      cut_id: cutId,
      kept: sideOf(sides, 'kept').map(name),
      separated: sideOf(sides, 'separated').map(name),
    })),
    ledger: identity.ledger.map((line) => ({
      at: line.at.toISOString(),
      kind: line.kind,
      survivor_id: line.survivorId,
      other_id: line.otherId,
      link: line.linkA && line.linkB ? { a: name(line.linkA), b: name(line.linkB), is_trusted: line.isTrusted } : null,
      evidence: line.evidence,
      cut_id: line.cutId,
    })),
  }
}

const sideOf = (sides: CutSide[], side: CutSide['side']) => sides.filter((s) => s.side === side).map((s) => s.token)

/** The customers that hold the given tokens after a change. */
export function customersAfter({ identifiers }: Resolution, tokens: readonly string[]) {
  const wanted = new Set(tokens)
  const ids = new Set(identifiers.filter((i) => wanted.has(i.token)).map((i) => i.customerId))
  return [...ids].map((customerId) => ({
    customer_id: customerId,
    identifiers: identifiers.filter((i) => i.customerId === customerId).map(masked),
  }))
}

type Shown = ReturnType<typeof masked> | { type: null; value: null; token: string }
const line = ({ type, value, token }: Shown) => (type ? `${type} ${value}` : `token ${token}`)

export function printIdentity(shown: ReturnType<typeof describe>): void {
  console.log(`customer ${shown.customer_id}, ${shown.visitors} visitors`)
  for (const i of shown.identifiers) {
    console.log(
      `  ${line(i)}  since ${i.first_seen}  token ${i.token}${i.is_hub ? '  (shared by many, joins nobody)' : ''}`,
    )
  }
  if (shown.blocked_links.length > 0) console.log('blocked links')
  for (const l of shown.blocked_links) console.log(`  ${l.reason}: ${line(l.a)} and ${line(l.b)}, ${l.at}`)
  if (shown.cuts.length > 0) console.log('cuts')
  for (const c of shown.cuts) {
    console.log(`  ${c.cut_id}: ${c.separated.map(line).join(', ')} apart from ${c.kept.map(line).join(', ')}`)
  }
  if (shown.ledger.length > 0) console.log('ledger')
  for (const l of shown.ledger) {
    const why = l.link ? `, by ${line(l.link.a)} and ${line(l.link.b)}` : l.cut_id ? `, cut ${l.cut_id}` : ''
    console.log(`  ${l.at} ${sentence[l.kind](l.survivor_id, l.other_id)}${why}`)
  }
}

const sentence = {
  merge: (survivor: string, other: string) => `${other} went into ${survivor}`,
  split: (survivor: string, other: string) => `${other} came out of ${survivor}`,
  cut: (survivor: string, other: string) => `${other} was cut from ${survivor}`,
  undo_cut: (survivor: string, other: string) => `the cut of ${other} from ${survivor} was taken back`,
}

export function printCustomers(title: string, customers: ReturnType<typeof customersAfter>): void {
  console.log(title)
  for (const { customer_id, identifiers } of customers) {
    console.log(`  customer ${customer_id}`)
    for (const identifier of identifiers) console.log(`    ${line(identifier)}`)
  }
}
