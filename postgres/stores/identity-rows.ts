import type pg from 'pg'
import type { CutSide } from '../../domain/identity-graph.ts'
import type { Clusters, KnownIdentifier, KnownLink, Resolution } from '../../domain/identity-resolution.ts'
import { linkKey, type Seen, type SeenVisitor } from '../../domain/observation.ts'
import type { Sql } from '../client.ts'

/**
 * One writer of a profile's identities at a time: two processors never create one person twice. Returns the profiles
 * that there are; they stay until the transaction ends.
 */
export async function lockProfiles(tx: pg.PoolClient, profileIds: string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id, pg_advisory_xact_lock(hashtextextended(id::text, 0))
     FROM (SELECT id FROM profiles WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE) AS known`,
    [profileIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The same lock for whoever serves one profile: its rows hold on to the profile themselves. */
export async function lockProfile(tx: pg.PoolClient, profileId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [profileId])
}

const column = <T, V>(rows: Iterable<T>, pick: (row: T) => V) => Array.from(rows, pick)

// Batches are small beside the tables. LIMIT and OFFSET inside a lateral join keep the planner from reading a whole
// table where it takes that to be cheaper: the cost of a batch must not grow with the customers.

/**
 * What of it is not known yet, or known only from later evidence. What is kept only ever gets earlier, so what is
 * nothing new without the lock is nothing new under it.
 */
export async function findNews(sql: Sql, seen: Seen): Promise<Seen> {
  const [identifiers, links, visitors] = [[...seen.identifiers], [...seen.links], [...seen.visitors]]
  const pick = <T, V>(entries: [string, T][], value: (item: T) => V) => column(entries, ([, item]) => value(item))
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

interface TokenOf {
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
       SELECT * FROM identity_cuts c WHERE c.profile_id = x.profile_id AND c.token = x.token OFFSET 0) c`,
    [column(tokens, (t) => t.profileId), column(tokens, (t) => t.token)],
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

/** The whole clusters that tokens are in, and the cuts on new tokens as well. */
export async function loadClusters(sql: Sql, tokens: TokenOf[]): Promise<LoadedClusters> {
  const named = await loadIdentifiers(sql, 'token', tokens)
  const clusterOf = new Map(column(named.values(), ({ profileId, clusterId }) => [clusterId!, profileId]))
  const clusters = column(clusterOf, ([token, profileId]) => ({ profileId, token }))
  const [identifiers, links] =
    clusters.length > 0
      ? [await loadIdentifiers(sql, 'cluster_id', clusters), await loadLinks(sql, clusters)]
      : [named, new Map<string, KnownLink>()]
  const cuts = await loadCuts(sql, [...identifiers.values(), ...tokens.filter(({ token }) => !identifiers.has(token))])
  return { identifiers, links, cuts, formerCustomers: await loadFormerCustomers(sql, [...identifiers.values()]) }
}

export async function saveResolution(tx: pg.PoolClient, resolution: Resolution): Promise<void> {
  const { identifiers, links, customers, ledger } = resolution
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
    `INSERT INTO identifiers AS i (profile_id, token, type, namespace, value, cluster_id, customer_id,
       first_customer_id, first_seen, is_hub, first_name, first_name_order, last_name, last_name_order)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[],
       $8::uuid[], $9::text[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::text[])
     ON CONFLICT (profile_id, token) DO UPDATE SET namespace = excluded.namespace, value = excluded.value,
       cluster_id = excluded.cluster_id, customer_id = excluded.customer_id, first_seen = excluded.first_seen,
       is_hub = excluded.is_hub, first_name = excluded.first_name, first_name_order = excluded.first_name_order,
       last_name = excluded.last_name, last_name_order = excluded.last_name_order
     WHERE (i.namespace, i.value, i.cluster_id, i.customer_id, i.first_seen, i.is_hub, i.first_name,
         i.first_name_order, i.last_name, i.last_name_order)
       IS DISTINCT FROM (excluded.namespace, excluded.value, excluded.cluster_id, excluded.customer_id,
         excluded.first_seen, excluded.is_hub, excluded.first_name, excluded.first_name_order, excluded.last_name,
         excluded.last_name_order)`,
    [
      column(identifiers, (i) => i.profileId),
      column(identifiers, (i) => i.token),
      column(identifiers, (i) => i.type),
      column(identifiers, (i) => i.namespace),
      column(identifiers, (i) => i.value),
      column(identifiers, (i) => i.clusterId),
      column(identifiers, (i) => i.customerId),
      column(identifiers, (i) => i.firstCustomerId),
      column(identifiers, (i) => i.firstSeen),
      column(identifiers, (i) => i.isHub),
      column(identifiers, (i) => i.firstName?.value ?? null),
      column(identifiers, (i) => i.firstName?.evidence ?? null),
      column(identifiers, (i) => i.lastName?.value ?? null),
      column(identifiers, (i) => i.lastName?.evidence ?? null),
    ],
  )
  await tx.query(
    `INSERT INTO identity_links AS l (profile_id, a, b, is_trusted, evidence, cluster_id, blocked_by)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[], $5::text[], $6::uuid[], $7::text[])
     ON CONFLICT (profile_id, a, b, is_trusted) DO UPDATE SET evidence = excluded.evidence,
       cluster_id = excluded.cluster_id, blocked_by = excluded.blocked_by
     WHERE (l.evidence, l.cluster_id, l.blocked_by)
       IS DISTINCT FROM (excluded.evidence, excluded.cluster_id, excluded.blocked_by)`,
    [
      column(links, (l) => l.profileId),
      column(links, (l) => l.a),
      column(links, (l) => l.b),
      column(links, (l) => l.isTrusted),
      column(links, (l) => l.evidence),
      column(links, (l) => l.clusterId),
      column(links, (l) => l.blockedBy),
    ],
  )
  if (ledger.length === 0) return
  await tx.query(
    `INSERT INTO identity_ledger
       (profile_id, kind, survivor_id, other_id, link_a, link_b, evidence, is_trusted)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::boolean[])`,
    [
      column(ledger, (line) => line.profileId),
      column(ledger, (line) => line.kind),
      column(ledger, (line) => line.survivorId),
      column(ledger, (line) => line.otherId),
      column(ledger, (line) => line.link?.a ?? null),
      column(ledger, (line) => line.link?.b ?? null),
      column(ledger, (line) => line.link?.evidence ?? null),
      column(ledger, (line) => line.link?.isTrusted ?? null),
    ],
  )
}

/** Gives each browser to the identifier that was seen in it first; says which of them changed hands. */
export async function assignVisitors(tx: pg.PoolClient, visitors: SeenVisitor[]): Promise<AssignedVisitor[]> {
  if (visitors.length === 0) return []
  // All parts of the statement see the rows as they were before it: `left_behind` is whom a visitor belonged to.
  const { rows } = await tx.query<AssignedVisitor>(
    `WITH next AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) AS x (profile_id, visitor_id, token, evidence)),
     left_behind AS (
       SELECT DISTINCT profile_id, visitor_id, v.token
       FROM next JOIN visitor_assignments v USING (profile_id, visitor_id)),
     assigned AS (
       INSERT INTO visitor_assignments (profile_id, visitor_id, token, evidence)
       SELECT DISTINCT ON (n.profile_id, n.visitor_id) n.*
       FROM next n LEFT JOIN left_behind l USING (profile_id, visitor_id)
       -- Who was erased is given no browser, by a link token that still goes about, and loses none.
       WHERE NOT EXISTS (
         SELECT FROM identifiers i
         WHERE i.profile_id = n.profile_id AND i.token IN (n.token, l.token) AND i.erasure_id IS NOT NULL OFFSET 0)
       ORDER BY n.profile_id, n.visitor_id, n.evidence COLLATE "C"
       ON CONFLICT (profile_id, visitor_id) DO UPDATE SET token = excluded.token, evidence = excluded.evidence
       WHERE excluded.evidence < visitor_assignments.evidence
       RETURNING *)
     SELECT profile_id AS "profileId", visitor_id AS "visitorId", a.token, a.evidence, l.token AS "leftToken"
     FROM assigned a LEFT JOIN left_behind l USING (profile_id, visitor_id)`,
    [
      column(visitors, (v) => v.profileId),
      column(visitors, (v) => v.visitorId),
      column(visitors, (v) => v.token),
      column(visitors, (v) => v.evidence),
    ],
  )
  return rows
}

export interface AssignedVisitor extends SeenVisitor {
  /** The identifier it belonged to before: that customer's credit changes as well. */
  leftToken: string | null
}

export async function recordChanges(
  tx: pg.PoolClient,
  moved: (TokenOf & { customerId: string })[],
  visitors: AssignedVisitor[],
): Promise<void> {
  if (moved.length === 0 && visitors.length === 0) return
  await tx.query(
    `WITH moved AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS x (profile_id, token, customer_id)),
     seen AS (SELECT * FROM unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[]) AS x (profile_id, visitor_id, token, left_token))
     INSERT INTO identity_changes (profile_id, subject_id, customer_id)
     SELECT profile_id, token, customer_id FROM moved
     UNION
     SELECT m.profile_id, v.visitor_id, m.customer_id FROM moved m
     CROSS JOIN LATERAL (SELECT visitor_id FROM visitor_assignments v
       WHERE v.profile_id = m.profile_id AND v.token = m.token OFFSET 0) v
     UNION
     SELECT s.profile_id, s.visitor_id, i.customer_id FROM seen s
     CROSS JOIN LATERAL (SELECT customer_id FROM identifiers i
       WHERE i.profile_id = s.profile_id AND i.token = s.token OFFSET 0) i
     UNION
     SELECT s.profile_id, s.left_token, i.customer_id FROM seen s
     CROSS JOIN LATERAL (SELECT customer_id FROM identifiers i
       WHERE i.profile_id = s.profile_id AND i.token = s.left_token OFFSET 0) i
     WHERE s.left_token != s.token`,
    [
      column(moved, (m) => m.profileId),
      column(moved, (m) => m.token),
      column(moved, (m) => m.customerId),
      column(visitors, (v) => v.profileId),
      column(visitors, (v) => v.visitorId),
      column(visitors, (v) => v.token),
      column(visitors, (v) => v.leftToken),
    ],
  )
}
