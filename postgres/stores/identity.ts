import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import {
  earliest,
  type KnownIdentifier,
  type KnownLink,
  type Ordered,
  type Resolution,
  resolveClusters,
} from '../../domain/identity-resolution.ts'
import { strongest } from '../../domain/subject.ts'
import type { IdentifierType } from '../../schemas/messages.ts'
import { transaction } from '../client.ts'

/** What one message says about who somebody is. */
export interface Observation {
  profileId: string
  /** `evidenceOrder` of the message's event time and id. */
  evidence: string
  isTrusted: boolean
  visitorId: string | null
  identifiers: { type: IdentifierType; token: string; value: string | null }[]
  firstName: string | null
  lastName: string | null
}

export interface IdentityChange {
  profileId: string
  subjectId: string
  customerId: string
  version: string
}

export interface IdentityStore {
  /** Takes in a batch in a constant number of round trips; seeing the same again, in any order, changes nothing. */
  observe(observations: Observation[]): Promise<void>
  /** Hands pending changes of the identity map to `publish` and forgets them once it has resolved. */
  publishChanges(publish: (changes: IdentityChange[]) => Promise<void>): Promise<number>
  /** The customer that an id leads to today: a merged-away customer resolves to its survivor; null when unknown. */
  survivor(profileId: string, customerId: string): Promise<string | null>
}

export function identityStore(pool: pg.Pool): IdentityStore {
  return {
    async observe(observations) {
      const seen = digest(observations)
      if (seen.identifiers.size === 0) return
      await transaction(pool, async (tx) => {
        const profiles = [...new Set(observations.map((o) => o.profileId))].sort()
        // One writer of a profile's identities at a time: two processors never create one person twice.
        await tx.query('SELECT pg_advisory_xact_lock(hashtextextended(id, 0)) FROM unnest($1::text[]) AS id', [
          profiles,
        ])
        const resolution = await resolve(tx, seen)
        if (resolution) await store(tx, resolution)
        const visitors = await assignVisitors(tx, [...seen.visitors.values()])
        await recordChanges(tx, resolution?.moved ?? [], visitors)
      })
    },

    async publishChanges(publish) {
      return transaction(pool, async (tx) => {
        const { rows } = await tx.query<IdentityChange>(
          `DELETE FROM identity_changes WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM identity_changes ORDER BY version LIMIT 20000 FOR UPDATE SKIP LOCKED))
           RETURNING profile_id AS "profileId", subject_id AS "subjectId", customer_id AS "customerId", version`,
        )
        if (rows.length > 0) await publish(rows)
        return rows.length
      })
    },

    async survivor(profileId, customerId) {
      const { rows } = await pool.query<{ id: string }>(
        `WITH RECURSIVE trail AS (
           SELECT id, merged_into FROM customers WHERE profile_id = $1 AND id = $2
           UNION SELECT c.id, c.merged_into FROM customers c JOIN trail t ON c.id = t.merged_into)
         SELECT id FROM trail WHERE merged_into IS NULL`,
        [profileId, customerId],
      )
      return rows[0]?.id ?? null
    },
  }
}

interface Seen {
  identifiers: Map<string, KnownIdentifier>
  links: Map<string, KnownLink>
  visitors: Map<string, { profileId: string; visitorId: string; token: string; evidence: string }>
}

const linkKey = (link: { a: string; b: string; isTrusted: boolean }) => `${link.a}${link.b}${link.isTrusted}`

/** A batch in its smallest form: of everything that is said twice, the earliest. */
function digest(observations: Observation[]): Seen {
  const seen: Seen = { identifiers: new Map(), links: new Map(), visitors: new Map() }
  for (const { profileId, evidence, isTrusted, visitorId, identifiers, firstName, lastName } of observations) {
    const subject = strongest(identifiers)
    if (!subject) continue
    const named = (value: string | null): Ordered | null => (value ? { value, evidence } : null)
    for (const { token, type, value } of identifiers) {
      const isSubject = token === subject.token
      keepEarliest(seen.identifiers, {
        profileId,
        token,
        type,
        value,
        clusterId: null,
        customerId: null,
        firstSeen: evidence,
        isHub: false,
        firstName: isSubject ? named(firstName) : null,
        lastName: isSubject ? named(lastName) : null,
      })
    }
    const tokens = [...new Set(identifiers.map((i) => i.token))].sort()
    for (const [i, a] of tokens.entries()) {
      for (const b of tokens.slice(i + 1)) {
        const link = { profileId, a, b, isTrusted, evidence, clusterId: null }
        const known = seen.links.get(linkKey(link))
        if (!known || evidence < known.evidence) seen.links.set(linkKey(link), link)
      }
    }
    if (visitorId) {
      const known = seen.visitors.get(visitorId)
      if (!known || evidence < known.evidence) {
        seen.visitors.set(visitorId, { profileId, visitorId, token: subject.token, evidence })
      }
    }
  }
  return seen
}

function keepEarliest(identifiers: Map<string, KnownIdentifier>, next: KnownIdentifier): boolean {
  const known = identifiers.get(next.token)
  if (!known) {
    identifiers.set(next.token, next)
    return true
  }
  const merged: KnownIdentifier = {
    ...known,
    value: known.value ?? next.value,
    firstSeen: next.firstSeen < known.firstSeen ? next.firstSeen : known.firstSeen,
    firstName: earliest(known.firstName, next.firstName),
    lastName: earliest(known.lastName, next.lastName),
  }
  identifiers.set(next.token, merged)
  return (
    merged.value !== known.value ||
    merged.firstSeen !== known.firstSeen ||
    merged.firstName !== known.firstName ||
    merged.lastName !== known.lastName
  )
}

/** What the batch changes in the graph: the clusters it touches, grouped anew; null when it says nothing new. */
async function resolve(tx: pg.PoolClient, seen: Seen): Promise<Resolution | null> {
  const identifiers = await loadIdentifiers(tx, 'token', [...seen.identifiers.keys()])
  const links = await loadLinksBetween(tx, [...seen.links.values()])
  const affected = new Set<string>()
  for (const next of seen.identifiers.values()) if (keepEarliest(identifiers, next)) affected.add(next.token)
  for (const link of seen.links.values()) {
    const known = links.get(linkKey(link))
    if (known && known.evidence <= link.evidence) continue
    if (identifiers.get(link.a)!.isHub || identifiers.get(link.b)!.isHub) continue
    links.set(linkKey(link), { ...link, clusterId: known?.clusterId ?? null })
    affected.add(link.a).add(link.b)
  }
  if (affected.size === 0) return null
  const clusters = [...affected].flatMap((token) => identifiers.get(token)!.clusterId ?? [])
  const neighbours = await loadIdentifiers(tx, 'cluster_id', clusters)
  const within = await loadLinksOf(tx, clusters)
  for (const token of affected) neighbours.set(token, identifiers.get(token)!)
  for (const [token, identifier] of identifiers) if (neighbours.has(token)) neighbours.set(token, identifier)
  for (const [key, link] of links) if (neighbours.has(link.a) && neighbours.has(link.b)) within.set(key, link)
  return resolveClusters([...neighbours.values()], [...within.values()], randomUUID)
}

interface IdentifierRow extends Omit<KnownIdentifier, 'firstName' | 'lastName'> {
  firstNameValue: string | null
  firstNameOrder: string | null
  lastNameValue: string | null
  lastNameOrder: string | null
}

async function loadIdentifiers(tx: pg.PoolClient, by: 'token' | 'cluster_id', ids: string[]) {
  const { rows } = await tx.query<IdentifierRow>(
    `SELECT profile_id AS "profileId", token, type, value, cluster_id AS "clusterId", customer_id AS "customerId",
       first_seen AS "firstSeen", is_hub AS "isHub", first_name AS "firstNameValue",
       first_name_order AS "firstNameOrder", last_name AS "lastNameValue", last_name_order AS "lastNameOrder"
     FROM identifiers WHERE ${by} = ANY($1::uuid[])`,
    [ids],
  )
  const ordered = (value: string | null, evidence: string | null) => (value && evidence ? { value, evidence } : null)
  return new Map<string, KnownIdentifier>(
    rows.map(({ firstNameValue, firstNameOrder, lastNameValue, lastNameOrder, ...row }) => [
      row.token,
      { ...row, firstName: ordered(firstNameValue, firstNameOrder), lastName: ordered(lastNameValue, lastNameOrder) },
    ]),
  )
}

const linkColumns = `l.profile_id AS "profileId", l.a, l.b, l.is_trusted AS "isTrusted", l.evidence, l.cluster_id AS "clusterId"`

async function loadLinksBetween(tx: pg.PoolClient, links: KnownLink[]) {
  const { rows } = await tx.query<KnownLink>(
    `SELECT ${linkColumns} FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[]) AS x (profile_id, a, b, is_trusted)
     JOIN identity_links l USING (profile_id, a, b, is_trusted)`,
    [links.map((l) => l.profileId), links.map((l) => l.a), links.map((l) => l.b), links.map((l) => l.isTrusted)],
  )
  return new Map(rows.map((link) => [linkKey(link), link]))
}

async function loadLinksOf(tx: pg.PoolClient, clusters: string[]) {
  const { rows } = await tx.query<KnownLink>(
    `SELECT ${linkColumns} FROM identity_links l WHERE cluster_id = ANY($1::uuid[])`,
    [clusters],
  )
  return new Map(rows.map((link) => [linkKey(link), link]))
}

async function store(tx: pg.PoolClient, { identifiers, links, customers }: Resolution): Promise<void> {
  const column = <T, V>(rows: T[], pick: (row: T) => V) => rows.map(pick)
  await tx.query(
    `INSERT INTO customers (id, profile_id, first_name, last_name, merged_into)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[])
     ON CONFLICT (id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
       merged_into = excluded.merged_into
     WHERE (customers.first_name, customers.last_name, customers.merged_into)
       IS DISTINCT FROM (excluded.first_name, excluded.last_name, excluded.merged_into)`,
    [
      column(customers, (c) => c.customerId),
      column(customers, (c) => c.profileId),
      column(customers, (c) => c.firstName),
      column(customers, (c) => c.lastName),
      column(customers, (c) => c.mergedInto),
    ],
  )
  await tx.query(
    `INSERT INTO identifiers (profile_id, token, type, value, cluster_id, customer_id, first_seen, is_hub,
       first_name, first_name_order, last_name, last_name_order)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[],
       $8::boolean[], $9::text[], $10::text[], $11::text[], $12::text[])
     ON CONFLICT (profile_id, token) DO UPDATE SET value = excluded.value, cluster_id = excluded.cluster_id,
       customer_id = excluded.customer_id, first_seen = excluded.first_seen, is_hub = excluded.is_hub,
       first_name = excluded.first_name, first_name_order = excluded.first_name_order,
       last_name = excluded.last_name, last_name_order = excluded.last_name_order
     WHERE identifiers IS DISTINCT FROM excluded`,
    [
      column(identifiers, (i) => i.profileId),
      column(identifiers, (i) => i.token),
      column(identifiers, (i) => i.type),
      column(identifiers, (i) => i.value),
      column(identifiers, (i) => i.clusterId),
      column(identifiers, (i) => i.customerId),
      column(identifiers, (i) => i.firstSeen),
      column(identifiers, (i) => i.isHub),
      column(identifiers, (i) => i.firstName?.value ?? null),
      column(identifiers, (i) => i.firstName?.evidence ?? null),
      column(identifiers, (i) => i.lastName?.value ?? null),
      column(identifiers, (i) => i.lastName?.evidence ?? null),
    ],
  )
  await tx.query(
    `INSERT INTO identity_links (profile_id, a, b, is_trusted, evidence, cluster_id)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[], $5::text[], $6::uuid[])
     ON CONFLICT (profile_id, a, b, is_trusted) DO UPDATE SET evidence = excluded.evidence, cluster_id = excluded.cluster_id
     WHERE identity_links IS DISTINCT FROM excluded`,
    [
      column(links, (l) => l.profileId),
      column(links, (l) => l.a),
      column(links, (l) => l.b),
      column(links, (l) => l.isTrusted),
      column(links, (l) => l.evidence),
      column(links, (l) => l.clusterId),
    ],
  )
}

async function assignVisitors(
  tx: pg.PoolClient,
  visitors: Seen['visitors'] extends Map<string, infer V> ? V[] : never,
) {
  const { rows } = await tx.query<{ visitor_id: string }>(
    `INSERT INTO visitor_assignments (profile_id, visitor_id, token, evidence)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[])
     ON CONFLICT (profile_id, visitor_id) DO UPDATE SET token = excluded.token, evidence = excluded.evidence
     WHERE excluded.evidence < visitor_assignments.evidence
     RETURNING visitor_id`,
    [
      visitors.map((v) => v.profileId),
      visitors.map((v) => v.visitorId),
      visitors.map((v) => v.token),
      visitors.map((v) => v.evidence),
    ],
  )
  return rows.map((row) => row.visitor_id)
}

async function recordChanges(tx: pg.PoolClient, tokens: string[], visitors: string[]): Promise<void> {
  if (tokens.length === 0 && visitors.length === 0) return
  await tx.query(
    `INSERT INTO identity_changes (profile_id, subject_id, customer_id)
     SELECT profile_id, token, customer_id FROM identifiers WHERE token = ANY($1::uuid[])
     UNION
     SELECT v.profile_id, v.visitor_id, i.customer_id
     FROM visitor_assignments v JOIN identifiers i USING (profile_id, token)
     WHERE v.token = ANY($1::uuid[]) OR v.visitor_id = ANY($2::uuid[])`,
    [tokens, visitors],
  )
}
