import type pg from 'pg'
import type { Resolution } from '../../domain/identity-resolution.ts'
import type { SeenVisitor } from '../../domain/observation.ts'
import { column } from '../column.ts'
import type { TokenOf } from './identity-reads.ts'

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
     INSERT INTO identity_changes (profile_id, subject_id, customer_id, has_lost_browser)
     SELECT profile_id, token, customer_id, false FROM moved
     UNION
     SELECT m.profile_id, v.visitor_id, m.customer_id, false FROM moved m
     CROSS JOIN LATERAL (SELECT visitor_id FROM visitor_assignments v
       WHERE v.profile_id = m.profile_id AND v.token = m.token OFFSET 0) v
     UNION
     SELECT s.profile_id, s.visitor_id, i.customer_id, false FROM seen s
     CROSS JOIN LATERAL (SELECT customer_id FROM identifiers i
       WHERE i.profile_id = s.profile_id AND i.token = s.token OFFSET 0) i
     UNION
     SELECT s.profile_id, s.left_token, i.customer_id, true FROM seen s
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
