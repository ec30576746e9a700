import type { IdentifierType } from '../../schemas/messages.ts'
import type { Sql } from '../client.ts'

/** A customer as it is shown in lists; a value that was erased is null. */
export interface CustomerProfile {
  customerId: string
  firstName: string | null
  lastName: string | null
  email: string | null
  phone: string | null
  /** First evidence of any identifier; null when none is left. */
  firstSeenAt: Date | null
}

export const fullName = ({ firstName, lastName }: Pick<CustomerProfile, 'firstName' | 'lastName'>): string | null =>
  [firstName, lastName].filter((part) => part !== null && part !== '').join(' ') || null

/** The customers among these ids: anonymous visitors have no row and are left out. */
export async function findCustomerProfiles(
  sql: Sql,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, CustomerProfile>> {
  const wanted = [...new Set(ids)]
  const { rows } = await sql.query<CustomerProfile>(
    // The profile comes with each row: see identity-reads.ts.
    `SELECT c.id AS "customerId", c.first_name AS "firstName", c.last_name AS "lastName", held.email, held.phone,
       held.first_seen AS "firstSeenAt"
     FROM unnest($1::uuid[], $2::uuid[]) AS wanted (profile_id, id)
     JOIN customers c ON c.id = wanted.id AND c.profile_id = wanted.profile_id
     CROSS JOIN LATERAL (
       SELECT (array_agg(value ORDER BY first_seen, token) FILTER (WHERE type = 'email' AND value IS NOT NULL))[1] AS email,
         (array_agg(value ORDER BY first_seen, token) FILTER (WHERE type = 'phone' AND value IS NOT NULL))[1] AS phone,
         to_timestamp(left(min(first_seen), 15)::bigint / 1000.0) AS first_seen
       FROM identifiers WHERE profile_id = wanted.profile_id AND customer_id = c.id) AS held`,
    [wanted.map(() => profileId), wanted],
  )
  return new Map(rows.map((row) => [row.customerId, row]))
}

export interface SubjectOfCustomer {
  customerId: string
  subjectId: string
  isBrowser: boolean
}

/** What facts of these customers carry: the tokens of their identifiers, and their browsers. */
export async function subjectsOfCustomers(
  sql: Sql,
  profileId: string,
  ids: readonly string[],
): Promise<SubjectOfCustomer[]> {
  const wanted = [...new Set(ids)]
  const { rows } = await sql.query<SubjectOfCustomer>(
    // The profile comes with each row: see identity-reads.ts.
    `WITH held AS (
       SELECT x.profile_id, x.id, i.token FROM unnest($1::uuid[], $2::uuid[]) AS x (profile_id, id)
       CROSS JOIN LATERAL (
         SELECT token FROM identifiers i WHERE i.profile_id = x.profile_id AND i.customer_id = x.id OFFSET 0) AS i)
     SELECT id AS "customerId", token AS "subjectId", false AS "isBrowser" FROM held
     UNION ALL
     SELECT held.id, v.visitor_id, true FROM held
     CROSS JOIN LATERAL (
       SELECT visitor_id FROM visitor_assignments v
       WHERE v.profile_id = held.profile_id AND v.token = held.token OFFSET 0) AS v`,
    [wanted.map(() => profileId), wanted],
  )
  return rows
}

export interface HeldValue {
  type: IdentifierType
  value: string
}

export interface Person {
  firstName: string | null
  lastName: string | null
  /** At most 200 of them. */
  identifiers: HeldValue[]
  identifierCount: number
  browserCount: number
}

const mostIdentifiers = 200

/** Somebody by all that they are known by, in the order it became known; null for an anonymous visitor. */
export async function findPerson(sql: Sql, profileId: string, customerId: string): Promise<Person | null> {
  const { rows } = await sql.query<Person>(
    `SELECT c.first_name AS "firstName", c.last_name AS "lastName",
       coalesce((
         SELECT json_agg(json_build_object('type', type, 'value', value) ORDER BY first_seen, token)
         FROM (
           SELECT * FROM identifiers WHERE profile_id = $1 AND customer_id = c.id AND value IS NOT NULL
           ORDER BY first_seen, token LIMIT ${mostIdentifiers}) AS held), '[]') AS identifiers,
       (SELECT count(*)::int FROM identifiers
        WHERE profile_id = $1 AND customer_id = c.id AND value IS NOT NULL) AS "identifierCount",
       (SELECT count(*)::int FROM identifiers i
        JOIN visitor_assignments v ON v.profile_id = $1 AND v.token = i.token
        WHERE i.profile_id = $1 AND i.customer_id = c.id) AS "browserCount"
     FROM customers c WHERE c.profile_id = $1 AND c.id = $2`,
    [profileId, customerId],
  )
  return rows[0] ?? null
}

export interface CustomerKey {
  /** The caller's own key of the customer: the first external customer id it was known by. */
  key: string | null
  /** Whoever may not read persons is not told a key that is one of these. */
  phones: string[]
}

export async function findCustomerKey(sql: Sql, profileId: string, customerId: string): Promise<CustomerKey> {
  const { rows } = await sql.query<CustomerKey>(
    `SELECT (array_agg(value ORDER BY first_seen, token) FILTER (WHERE type = 'external_customer_id'))[1] AS key,
       coalesce(array_agg(value) FILTER (WHERE type = 'phone'), '{}') AS phones
     FROM identifiers
     WHERE profile_id = $1 AND customer_id = $2 AND type IN ('external_customer_id', 'phone') AND value IS NOT NULL`,
    [profileId, customerId],
  )
  return rows[0]!
}

export interface ResolvedCustomer {
  customerId: string
  isErased: boolean
}

/**
 * Who a published id leads to today: a merged-away customer to its survivor, a browser that has become somebody's to
 * its owner; null when nobody known has it.
 */
export async function resolveCustomer(sql: Sql, profileId: string, id: string): Promise<ResolvedCustomer | null> {
  const { rows } = await sql.query<ResolvedCustomer>(
    `WITH RECURSIVE named AS (
       SELECT $2::uuid AS id
       UNION ALL
       SELECT i.customer_id FROM visitor_assignments v
       JOIN identifiers i ON i.profile_id = $1 AND i.token = v.token
       WHERE v.profile_id = $1 AND v.visitor_id = $2
     ), trail AS (
       SELECT c.id, c.merged_into, c.erasure_id FROM named n JOIN customers c ON c.profile_id = $1 AND c.id = n.id
       UNION
       SELECT c.id, c.merged_into, c.erasure_id FROM trail t JOIN customers c ON c.profile_id = $1 AND c.id = t.merged_into)
     SELECT id AS "customerId", erasure_id IS NOT NULL AS "isErased" FROM trail WHERE merged_into IS NULL LIMIT 1`,
    [profileId, id],
  )
  return rows[0] ?? null
}
