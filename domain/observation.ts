import type { IdentifierType } from '../schemas/messages.ts'
import { earliest, type KnownIdentifier, type KnownLink, type Ordered } from './identity-resolution.ts'
import { providerPart } from './provider-name.ts'
import { strongest } from './subject.ts'

/** What one message says about who somebody is. */
export interface Observation {
  profileId: string
  /** `evidenceOrder` of the message's event time, or its receipt where that came first, and id. */
  evidence: string
  isTrusted: boolean
  visitorId: string | null
  identifiers: { type: IdentifierType; token: string; value: string | null }[]
  firstName: string | null
  lastName: string | null
  /**
   * The identifier that a link token of the page's address names: it gives the browser to somebody, and says no more.
   * Its evidence is the receipt: a time that the browser claims would take the browser from who was in it before.
   */
  linked?: { token: string; evidence: string } | null
}

/** A browser's word on whose it is. */
export interface SeenVisitor {
  profileId: string
  visitorId: string
  token: string
  evidence: string
}

export interface Seen {
  identifiers: Map<string, KnownIdentifier>
  links: Map<string, KnownLink>
  visitors: Map<string, SeenVisitor>
}

export const linkKey = (link: { a: string; b: string; isTrusted: boolean }) => `${link.a}${link.b}${link.isTrusted}`

/** A batch in its smallest form: of everything that is said twice, the earliest. */
export function digest(observations: Observation[]): Seen {
  const seen: Seen = { identifiers: new Map(), links: new Map(), visitors: new Map() }
  for (const observation of observations) {
    const { profileId, evidence, isTrusted, visitorId, identifiers, firstName, lastName, linked } = observation
    const subject = strongest(identifiers)
    // Who signs in is who they are, whoever the link was sent to.
    const owner = subject ? { token: subject.token, evidence } : linked
    if (visitorId && owner) {
      // One for each owner: who was erased meanwhile must not stand before somebody of the same batch.
      keepEarlier(seen.visitors, `${profileId}${visitorId}${owner.token}`, { profileId, visitorId, ...owner })
    }
    if (!subject) continue
    const named = (value: string | null): Ordered | null => (value ? { value, evidence } : null)
    for (const { token, type, value } of identifiers) {
      const isSubject = token === subject.token
      keepEarliest(seen.identifiers, {
        profileId,
        token,
        type,
        namespace: namespaceOf(type, value),
        value,
        clusterId: null,
        customerId: null,
        firstCustomerId: null,
        firstSeen: evidence,
        isHub: false,
        erasureId: null,
        firstName: isSubject ? named(firstName) : null,
        lastName: isSubject ? named(lastName) : null,
      })
    }
    const tokens = [...new Set(identifiers.map((i) => i.token))].sort()
    for (const [i, a] of tokens.entries()) {
      for (const b of tokens.slice(i + 1)) {
        keepEarlier(seen.links, linkKey({ a, b, isTrusted }), {
          profileId,
          a,
          b,
          isTrusted,
          evidence,
          clusterId: null,
          blockedBy: null,
        })
      }
    }
  }
  return seen
}

/** Imports write a CRM's contact as `crm:contact`: its name is not personal and outlives an erasure of the value. */
const namespaceOf = (type: IdentifierType, value: string | null): string | null =>
  (type === 'crm_contact_id' && value && providerPart(value).slice(0, -1).toLowerCase()) || null

/** Whether it was new or earlier than what was known. */
export function keepEarlier<T extends { evidence: string }>(known: Map<string, T>, key: string, next: T): boolean {
  const there = known.get(key)
  if (there && there.evidence <= next.evidence) return false
  known.set(key, next)
  return true
}

/** Whether it said anything new. */
export function keepEarliest(identifiers: Map<string, KnownIdentifier>, next: KnownIdentifier): boolean {
  const known = identifiers.get(next.token)
  if (!known) {
    identifiers.set(next.token, next)
    return true
  }
  const merged: KnownIdentifier = {
    ...known,
    namespace: known.namespace ?? next.namespace,
    firstSeen: next.firstSeen < known.firstSeen ? next.firstSeen : known.firstSeen,
    ...(known.erasureId ? {} : personOf(known, next)),
  }
  identifiers.set(next.token, merged)
  return (
    merged.value !== known.value ||
    merged.namespace !== known.namespace ||
    merged.firstSeen !== known.firstSeen ||
    merged.firstName !== known.firstName ||
    merged.lastName !== known.lastName
  )
}

/** What an erasure takes away, and what no later message brings back. */
const personOf = (known: KnownIdentifier, next: KnownIdentifier) => ({
  value: known.value ?? next.value,
  firstName: earliest(known.firstName, next.firstName),
  lastName: earliest(known.lastName, next.lastName),
})
