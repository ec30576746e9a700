import type { BlockReason, CutSide, GraphLink } from '../../domain/identity-graph.ts'
import type { IdentifierType } from '../../schemas/messages.ts'
import type { Sql } from '../client.ts'

export interface HeldIdentifier {
  token: string
  type: IdentifierType
  value: string | null
  firstSeen: string
  isHub: boolean
}

export interface LedgerRow {
  at: Date
  kind: 'merge' | 'split' | 'cut' | 'undo_cut'
  survivorId: string
  otherId: string
  linkA: string | null
  linkB: string | null
  evidence: string | null
  isTrusted: boolean | null
  cutId: string | null
}

/** How a customer came to be who it is. */
export interface CustomerIdentity {
  identifiers: HeldIdentifier[]
  visitorCount: number
  /** Links inside the customer, and those from it that a guard blocks. */
  links: (GraphLink & { blockedBy: BlockReason | null })[]
  /** The other ends of blocked links. */
  strangers: (HeldIdentifier & { customerId: string })[]
  cuts: CutSide[]
  ledger: LedgerRow[]
}

export async function customerOfToken(sql: Sql, profileId: string, token: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT customer_id AS id FROM identifiers WHERE profile_id = $1 AND token = $2',
    [profileId, token],
  )
  return rows[0]?.id
}

export async function customersOfTokens(
  sql: Sql,
  profileId: string,
  tokens: readonly string[],
): Promise<{ token: string; customerId: string; erasureId: string | null }[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql.query<{ token: string; customerId: string; erasureId: string | null }>(
    // The profile comes with each row: see identity-reads.ts.
    `SELECT i.token, i.customer_id AS "customerId", i.erasure_id AS "erasureId"
     FROM unnest($1::uuid[], $2::uuid[]) AS x (profile_id, token)
     CROSS JOIN LATERAL (
       SELECT * FROM identifiers i WHERE i.profile_id = x.profile_id AND i.token = x.token OFFSET 0) i`,
    [tokens.map(() => profileId), tokens],
  )
  return rows
}

const identifierColumns = `i.token, i.type, i.value, i.first_seen AS "firstSeen", i.is_hub AS "isHub"`

export async function describeCustomer(sql: Sql, profileId: string, customerId: string): Promise<CustomerIdentity> {
  const { rows: identifiers } = await sql.query<HeldIdentifier & { clusterId: string }>(
    `SELECT ${identifierColumns}, i.cluster_id AS "clusterId" FROM identifiers i
     WHERE i.profile_id = $1 AND i.customer_id = $2 ORDER BY i.first_seen, i.token`,
    [profileId, customerId],
  )
  const tokens = identifiers.map(({ token }) => token)
  const { rows: links } = await sql.query<CustomerIdentity['links'][number]>(
    `SELECT a, b, is_trusted AS "isTrusted", evidence, blocked_by AS "blockedBy" FROM identity_links
     WHERE profile_id = $1 AND cluster_id = ANY($2::uuid[]) AND (a = ANY($3::uuid[]) OR b = ANY($3::uuid[]))
     ORDER BY evidence, a, b`,
    [profileId, [...new Set(identifiers.map(({ clusterId }) => clusterId))], tokens],
  )
  const own = new Set(tokens)
  const { rows: strangers } = await sql.query<CustomerIdentity['strangers'][number]>(
    `SELECT ${identifierColumns}, i.customer_id AS "customerId" FROM identifiers i
     WHERE i.profile_id = $1 AND i.token = ANY($2::uuid[])`,
    [profileId, links.flatMap(({ a, b }) => [a, b]).filter((token) => !own.has(token))],
  )
  const { rows: visitors } = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM visitor_assignments WHERE profile_id = $1 AND token = ANY($2::uuid[])',
    [profileId, tokens],
  )
  const { rows: ledger } = await sql.query<LedgerRow>(
    `SELECT at, kind, survivor_id AS "survivorId", other_id AS "otherId", link_a AS "linkA", link_b AS "linkB",
       evidence, is_trusted AS "isTrusted", cut_id AS "cutId"
     FROM identity_ledger WHERE profile_id = $1 AND (survivor_id = $2 OR other_id = $2) ORDER BY id`,
    [profileId, customerId],
  )
  return {
    identifiers: identifiers.map(({ clusterId, ...identifier }) => identifier),
    visitorCount: visitors[0]!.count,
    links,
    strangers,
    cuts: await cutsOf(sql, profileId, tokens),
    ledger,
  }
}

/** Both sides of the cuts that any of the tokens is on. */
export async function cutsOf(sql: Sql, profileId: string, tokens: string[]): Promise<CutSide[]> {
  const { rows } = await sql.query<CutSide>(
    `SELECT cut_id AS "cutId", token, side FROM identity_cuts
     WHERE profile_id = $1 AND cut_id IN (
       SELECT cut_id FROM identity_cuts WHERE profile_id = $1 AND token = ANY($2::uuid[]))
     ORDER BY created_at, cut_id, side, token`,
    [profileId, tokens],
  )
  return rows
}
