import type { Sql } from '../client.ts'

/** Who paid, as far as is known of them. */
export interface Payer {
  customerId: string
  firstName: string | null
  lastName: string | null
  email: string | null
  phone: string | null
}

/** The first e-mail and phone that were ever seen of each. */
export async function payersOf(
  sql: Sql,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, Payer>> {
  const { rows } = await sql.query<Payer>(
    `SELECT c.id AS "customerId", c.first_name AS "firstName", c.last_name AS "lastName",
       (SELECT i.value FROM identifiers i WHERE i.profile_id = c.profile_id AND i.customer_id = c.id AND i.type = 'email'
        ORDER BY i.first_seen, i.token LIMIT 1) AS email,
       (SELECT i.value FROM identifiers i WHERE i.profile_id = c.profile_id AND i.customer_id = c.id AND i.type = 'phone'
        ORDER BY i.first_seen, i.token LIMIT 1) AS phone
     FROM customers c WHERE c.profile_id = $1 AND c.id = ANY($2::uuid[])`,
    [profileId, customerIds],
  )
  return new Map(rows.map((row) => [row.customerId, row]))
}

/**
 * The subject that stands for an active customer: the identifier seen first, which a later merge carries along.
 * Undefined for a customer of another profile, one that was merged away or erased, and one that nothing identifies.
 */
export async function payingSubject(sql: Sql, profileId: string, customerId: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ token: string }>(
    `SELECT i.token FROM customers c JOIN identifiers i ON i.profile_id = c.profile_id AND i.customer_id = c.id
     WHERE c.profile_id = $1 AND c.id = $2 AND c.merged_into IS NULL AND c.erasure_id IS NULL
     ORDER BY i.first_seen, i.token LIMIT 1`,
    [profileId, customerId],
  )
  return rows[0]?.token
}
