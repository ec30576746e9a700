import type { CutSide } from '../../domain/identity-graph.ts'
import type { Clusters, KnownIdentifier, KnownLink } from '../../domain/identity-resolution.ts'
import { linkKey, type Seen } from '../../domain/observation.ts'
import type { Sql } from '../client.ts'
import { column } from '../column.ts'

// Batches are small beside the tables. LIMIT and OFFSET inside a lateral join keep the planner from reading a whole
// table where it takes that to be cheaper: the cost of a batch must not grow with the customers. For the same reason the
// profile comes with each row: of one that is named by a parameter, and that it has not heard of yet, the planner expects
// no rows, and takes any index that begins with the profile.

/**
 * What of it is not known yet, or known only from later evidence. What is kept only ever gets earlier, so what is
 * nothing new without the lock is nothing new under it.
 */
export async function findNews(sql: Sql, seen: Seen): Promise<Seen> {
  const [identifiers, links, visitors] = [[...seen.identifiers], [...seen.links], [...seen.visitors]]
  const pick = <T>(entries: [string, T][], value: (item: T) => string | boolean | null) =>
    column(entries, ([, item]) => value(item))
  const { rows } = await sql.query<{ kind: keyof Seen; at: number }>(
    `SELECT 'identifiers' AS kind, x.at::int AS at
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[], $5::text[], $6::text[])
       WITH ORDINALITY AS x (profile_id, token, first_seen, has_value, first_name_order, last_name_order, at)
     LEFT JOIN LATERAL (
       SELECT * FROM identifiers i WHERE i.profile_id = x.profile_id AND i.token = x.token LIMIT 1) i ON true
     WHERE i.token IS NULL OR x.first_seen COLLATE "C" < i.first_seen OR (i.erasure_id IS NULL AND (
       (x.has_value AND i.value IS NULL)
       OR x.first_name_order COLLATE "C" < coalesce(i.first_name_order, 'x')
       OR x.last_name_order COLLATE "C" < coalesce(i.last_name_order, 'x')))
     UNION ALL
     SELECT 'links', x.at::int
     FROM unnest($7::uuid[], $8::uuid[], $9::uuid[], $10::boolean[], $11::text[])
       WITH ORDINALITY AS x (profile_id, a, b, is_trusted, evidence, at)
     LEFT JOIN LATERAL (
       SELECT * FROM identity_links l
       WHERE l.profile_id = x.profile_id AND l.a = x.a AND l.b = x.b AND l.is_trusted = x.is_trusted LIMIT 1) l ON true
     WHERE l.a IS NULL OR x.evidence COLLATE "C" < l.evidence
     UNION ALL
     SELECT 'visitors', x.at::int
     FROM unnest($12::uuid[], $13::uuid[], $14::text[]) WITH ORDINALITY AS x (profile_id, visitor_id, evidence, at)
     LEFT JOIN LATERAL (
       SELECT * FROM visitor_assignments v
       WHERE v.profile_id = x.profile_id AND v.visitor_id = x.visitor_id LIMIT 1) v ON true
     WHERE v.visitor_id IS NULL OR x.evidence COLLATE "C" < v.evidence`,
    [
      pick(identifiers, (i) => i.profileId),
      pick(identifiers, (i) => i.token),
      pick(identifiers, (i) => i.firstSeen),
      pick(identifiers, (i) => i.value !== null),
      pick(identifiers, (i) => i.firstName?.evidence ?? null),
      pick(identifiers, (i) => i.lastName?.evidence ?? null),
      pick(links, (l) => l.profileId),
      pick(links, (l) => l.a),
      pick(links, (l) => l.b),
      pick(links, (l) => l.isTrusted),
      pick(links, (l) => l.evidence),
      pick(visitors, (v) => v.profileId),
      pick(visitors, (v) => v.visitorId),
      pick(visitors, (v) => v.evidence),
    ],
  )
  const news = <T>(kind: keyof Seen, entries: [string, T][]) =>
    new Map(rows.filter((row) => row.kind === kind).map(({ at }) => entries[at - 1]!))
  return {
    identifiers: news('identifiers', identifiers),
    links: news('links', links),
    visitors: news('visitors', visitors),
  }
}

/** Which of these tokens there are. */
export async function knownTokens(sql: Sql, tokens: readonly TokenOf[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ token: string }>(
    `SELECT i.token FROM unnest($1::uuid[], $2::uuid[]) AS x (profile_id, token)
     CROSS JOIN LATERAL (
       SELECT i.token FROM identifiers i WHERE i.profile_id = x.profile_id AND i.token = x.token OFFSET 0) i`,
    [column(tokens, (t) => t.profileId), column(tokens, (t) => t.token)],
  )
  return new Set(rows.map(({ token }) => token))
}

/** The same for who holds the lock and knows which tokens there are: what names any other is news, and not looked up. */
export async function findNewsAmong(sql: Sql, seen: Seen, known: ReadonlySet<string>): Promise<Seen> {
  const isNew = {
    identifiers: ({ token }: KnownIdentifier) => !known.has(token),
    links: ({ a, b }: KnownLink) => !known.has(a) || !known.has(b),
  }
  const asked = {
    identifiers: keep(seen.identifiers, (_, identifier) => !isNew.identifiers(identifier)),
    links: keep(seen.links, (_, link) => !isNew.links(link)),
    visitors: seen.visitors,
  }
  const isAnything = asked.identifiers.size + asked.links.size + asked.visitors.size > 0
  const found = isAnything ? await findNews(sql, asked) : asked
  return {
    identifiers: keep(seen.identifiers, (key, item) => isNew.identifiers(item) || found.identifiers.has(key)),
    links: keep(seen.links, (key, item) => isNew.links(item) || found.links.has(key)),
    visitors: found.visitors,
  }
}

const keep = <T>(all: Map<string, T>, isKept: (key: string, item: T) => boolean) =>
  new Map([...all].filter(([key, item]) => isKept(key, item)))

export interface TokenOf {
  profileId: string
  token: string
}

interface IdentifierRow extends Omit<KnownIdentifier, 'firstName' | 'lastName'> {
  firstNameValue: string | null
  firstNameOrder: string | null
  lastNameValue: string | null
  lastNameOrder: string | null
}

async function loadIdentifiers(sql: Sql, by: 'token' | 'cluster_id', ids: TokenOf[]) {
  const { rows } = await sql.query<IdentifierRow>(
    `SELECT i.profile_id AS "profileId", i.token, i.type, i.namespace, i.value, i.cluster_id AS "clusterId",
       i.customer_id AS "customerId", i.first_customer_id AS "firstCustomerId", i.first_seen AS "firstSeen",
       i.is_hub AS "isHub", i.erasure_id AS "erasureId", i.first_name AS "firstNameValue", i.first_name_order AS "firstNameOrder",
       i.last_name AS "lastNameValue", i.last_name_order AS "lastNameOrder"
     FROM unnest($1::uuid[], $2::uuid[]) AS x (profile_id, id)
     CROSS JOIN LATERAL (
       SELECT * FROM identifiers i WHERE i.profile_id = x.profile_id AND i.${by} = x.id OFFSET 0) i`,
    [column(ids, (id) => id.profileId), column(ids, (id) => id.token)],
  )
  const ordered = (value: string | null, evidence: string | null) => (value && evidence ? { value, evidence } : null)
  return new Map<string, KnownIdentifier>(
    rows.map(({ firstNameValue, firstNameOrder, lastNameValue, lastNameOrder, ...row }) => [
      row.token,
      { ...row, firstName: ordered(firstNameValue, firstNameOrder), lastName: ordered(lastNameValue, lastNameOrder) },
    ]),
  )
}

async function loadLinks(sql: Sql, clusters: TokenOf[]) {
  const { rows } = await sql.query<KnownLink>(
    `SELECT l.profile_id AS "profileId", l.a, l.b, l.is_trusted AS "isTrusted", l.evidence,
       l.cluster_id AS "clusterId", l.blocked_by AS "blockedBy"
     FROM unnest($1::uuid[], $2::uuid[]) AS x (profile_id, id)
     CROSS JOIN LATERAL (
       SELECT * FROM identity_links l WHERE l.profile_id = x.profile_id AND l.cluster_id = x.id OFFSET 0) l`,
    [column(clusters, (id) => id.profileId), column(clusters, (id) => id.token)],
  )
  return new Map(rows.map((link) => [linkKey(link), link]))
}

async function loadCuts(sql: Sql, tokens: TokenOf[]): Promise<CutSide[]> {
  const { rows } = await sql.query<CutSide>(
    `SELECT c.cut_id AS "cutId", c.token, c.side
     FROM unnest($1::uuid[], $2::uuid[]) AS x (profile_id, token)
     CROSS JOIN LATERAL (
       SELECT * FROM identity_cuts c WHERE c.profile_id = x.profile_id AND c.token = x.token OFFSET 0) c
     -- Most profiles have none: one look instead of one for each token.
     WHERE EXISTS (SELECT FROM identity_cuts WHERE profile_id = ANY ($3::uuid[]))`,
    [
      column(tokens, (t) => t.profileId),
      column(tokens, (t) => t.token),
      column(new Set(tokens.map((t) => t.profileId)), (id) => id),
    ],
  )
  return rows
}

/** Of the customers that identifiers once belonged to, those that were merged away. */
async function loadFormerCustomers(sql: Sql, identifiers: KnownIdentifier[]): Promise<Set<string>> {
  const former = identifiers.flatMap((i) => (i.firstCustomerId === i.customerId ? [] : (i.firstCustomerId ?? [])))
  if (former.length === 0) return new Set()
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM customers WHERE id = ANY($1::uuid[]) AND merged_into IS NOT NULL AND erasure_id IS NULL',
    [[...new Set(former)]],
  )
  return new Set(rows.map((row) => row.id))
}

export interface LoadedClusters extends Omit<Clusters, 'identifiers' | 'links'> {
  identifiers: Map<string, KnownIdentifier>
  links: Map<string, KnownLink>
}

/** The whole clusters that tokens are in, and the cuts on new tokens as well; only those that may be known are looked up. */
export async function loadClusters(
  sql: Sql,
  tokens: TokenOf[],
  mayBeKnown: (token: string) => boolean = () => true,
): Promise<LoadedClusters> {
  const possible = tokens.filter(({ token }) => mayBeKnown(token))
  const named: Map<string, KnownIdentifier> =
    possible.length > 0 ? await loadIdentifiers(sql, 'token', possible) : new Map()
  const clusterOf = new Map(Array.from(named.values(), ({ profileId, clusterId }) => [clusterId!, profileId]))
  const clusters = Array.from(clusterOf, ([token, profileId]) => ({ profileId, token }))
  const [identifiers, links] =
    clusters.length > 0
      ? [await loadIdentifiers(sql, 'cluster_id', clusters), await loadLinks(sql, clusters)]
      : [named, new Map<string, KnownLink>()]
  const cuts = await loadCuts(sql, [...identifiers.values(), ...tokens.filter(({ token }) => !identifiers.has(token))])
  return { identifiers, links, cuts, formerCustomers: await loadFormerCustomers(sql, [...identifiers.values()]) }
}
