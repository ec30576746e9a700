import { identifierTypes } from '../../schemas/messages.ts'
import type { Sql } from '../client.ts'

export interface NamedCustomer {
  customerId: string
  isErased: boolean
  /** The caller's own key of the customer: its first external customer id. */
  key: string | null
  phones: string[]
  /** Strongest first; ones that many people share come last. */
  tokens: string[]
}

/** The customers that ids lead to today; a merged-away id leads to its survivor. */
export async function survivorsOf(
  sql: Sql,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, string>> {
  if (customerIds.length === 0) return new Map()
  const { rows } = await sql.query<{ asked: string; id: string }>(
    `WITH RECURSIVE trail AS (
       SELECT c.id AS asked, c.id, c.merged_into FROM customers c WHERE c.profile_id = $1 AND c.id = ANY($2::uuid[])
       UNION ALL
       SELECT t.asked, c.id, c.merged_into FROM trail t JOIN customers c ON c.profile_id = $1 AND c.id = t.merged_into)
     SELECT asked, id FROM trail WHERE merged_into IS NULL`,
    [profileId, customerIds],
  )
  return new Map(rows.map(({ asked, id }) => [asked, id]))
}

export async function describeCustomers(
  sql: Sql,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, NamedCustomer>> {
  if (customerIds.length === 0) return new Map()
  const { rows } = await sql.query<NamedCustomer>(
    `SELECT c.id AS "customerId", c.erasure_id IS NOT NULL AS "isErased",
       (array_agg(i.value ORDER BY i.first_seen, i.token)
         FILTER (WHERE i.type = 'external_customer_id' AND i.value IS NOT NULL))[1] AS key,
       coalesce(array_agg(i.value) FILTER (WHERE i.type = 'phone' AND i.value IS NOT NULL), '{}') AS phones,
       array_agg(i.token::text ORDER BY i.is_hub, array_position($3::text[], i.type), i.first_seen, i.token) AS tokens
     FROM customers c JOIN identifiers i ON i.profile_id = c.profile_id AND i.customer_id = c.id
     WHERE c.profile_id = $1 AND c.id = ANY($2::uuid[]) GROUP BY c.id`,
    [profileId, customerIds, identifierTypes],
  )
  return new Map(rows.map((row) => [row.customerId, row]))
}
