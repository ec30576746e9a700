import type { SearchTerm } from '../../domain/search-term.ts'
import type { Sql } from '../client.ts'

// All of these run inside `asProfile`: the profile is the transaction's.

/** Customers whose name or e-mail has the term, in no order; more than `most` are cut off. */
export async function customersMatching(tx: Sql, term: SearchTerm, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM (
       SELECT customers_named($1, $3) AS id
       UNION SELECT customers_reached_by('email', $2, $3) WHERE left($2, 1) = '%'
       UNION SELECT customers_mailed_at($2, $3) WHERE left($2, 1) <> '%') AS found
     LIMIT $3`,
    [term.namePatterns, term.emailPattern, most],
  )
  return rows.map(({ id }) => id)
}

/** Of these customers, those whose name or e-mail has the term. */
export async function keepMatching(
  tx: Sql,
  profileId: string,
  customerIds: readonly string[],
  term: SearchTerm,
): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT c.id FROM unnest($2::uuid[]) AS wanted (id)
     JOIN customers c ON c.id = wanted.id AND c.profile_id = $1
     WHERE searchable_name(c.first_name, c.last_name) LIKE ALL (SELECT searchable(p) FROM unnest($3::text[]) AS p)
       OR EXISTS (
         SELECT FROM identifiers i
         WHERE i.profile_id = $1 AND i.customer_id = c.id AND i.type = 'email' AND i.value LIKE $4)`,
    [profileId, [...new Set(customerIds)], term.namePatterns, term.emailPattern],
  )
  return new Set(rows.map(({ id }) => id))
}

/** More than a page: the best are chosen among them. */
const candidates = 200

/**
 * For a picker: customers whose name, e-mail or phone has the term, best first; only when these are too few, those
 * who nearly have it as well.
 */
export async function pickCustomers(
  tx: Sql,
  profileId: string,
  term: SearchTerm,
  { most, exclude }: { most: number; exclude: string | null },
): Promise<string[]> {
  const exact = await rank(
    tx,
    profileId,
    term,
    `SELECT customers_named($3, ${candidates}) AS id
     UNION SELECT customers_reached_by('email', $4, ${candidates}) WHERE left($4, 1) = '%'
     UNION SELECT customers_mailed_at($4, ${candidates}) WHERE left($4, 1) <> '%'
     UNION SELECT customers_reached_by('phone', $5, ${candidates}) WHERE $5 IS NOT NULL`,
    [term.namePatterns, term.emailPattern, term.phonePattern],
    { most, exclude },
  )
  if (exact.length >= most) return exact
  const near = await rank(
    tx,
    profileId,
    term,
    `SELECT customers_nearly_named($3, ${candidates}) AS id
     UNION SELECT customers_nearly_reached_by($4, ${candidates}) WHERE $4 IS NOT NULL`,
    [term.text, term.nearEmail],
    { most, exclude },
  )
  const seen = new Set(exact)
  return [...exact, ...near.filter((id) => !seen.has(id))].slice(0, most)
}

/** What begins with the term before what contains it, and what is most alike before the rest. */
async function rank(
  tx: Sql,
  profileId: string,
  term: SearchTerm,
  found: string,
  values: unknown[],
  { most, exclude }: { most: number; exclude: string | null },
): Promise<string[]> {
  const next = values.length + 3
  const { rows } = await tx.query<{ id: string }>(
    `SELECT c.id
     FROM (${found}) AS found
     -- One by one, OFFSET and all: the planner would rather read every customer than look up a few hundred.
     CROSS JOIN LATERAL (
       SELECT * FROM customers
       WHERE id = found.id AND profile_id = $1 AND merged_into IS NULL OFFSET 0) AS c
     CROSS JOIN LATERAL (
       SELECT searchable_name(c.first_name, c.last_name) AS name, (
         SELECT max(word_similarity($2, i.value)) FROM identifiers i
         WHERE i.profile_id = c.profile_id AND i.customer_id = c.id AND i.type IN ('email', 'phone')) AS likeness) AS text
     WHERE $${next}::uuid IS NULL OR c.id <> $${next}
     ORDER BY greatest(word_similarity(searchable($2), text.name), text.likeness) DESC,
       similarity(searchable($2), text.name) DESC, c.created_at DESC, c.id
     LIMIT $${next + 1}`,
    [profileId, term.text, ...values, exclude, most],
  )
  return rows.map(({ id }) => id)
}
