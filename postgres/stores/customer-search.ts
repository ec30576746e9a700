import type pg from 'pg'
import type { SearchTerm } from '../../domain/search-term.ts'
import { asProfile } from '../as-profile.ts'

/** Customers whose name or e-mail has the term, in no order; more than `most` are cut off. */
export async function customersMatching(
  pool: pg.Pool,
  profileId: string,
  term: SearchTerm,
  most: number,
): Promise<string[]> {
  const named = findNamed(pool, profileId, term, most)
  // A name may be so common that addresses need not be looked at; what is plainly none is looked for side by side.
  if (term.nearName !== null && (await named).length >= most) return named
  const found = await Promise.all([named, find(pool, profileId, mailedAt, [term.emailPattern, most])])
  return [...new Set(found.flat())].slice(0, most)
}

/** Of these customers, those whose name or e-mail has the term. */
export async function keepMatching(
  pool: pg.Pool,
  profileId: string,
  customerIds: readonly string[],
  term: SearchTerm,
): Promise<Set<string>> {
  const found = await find(
    pool,
    profileId,
    `SELECT c.id FROM unnest($2::uuid[]) AS wanted (id)
     JOIN customers c ON c.id = wanted.id AND c.profile_id = $1
     WHERE searchable_name(c.first_name, c.last_name) LIKE ALL (SELECT searchable(p) FROM unnest($3::text[]) AS p)
       OR EXISTS (
         SELECT FROM identifiers i
         WHERE i.profile_id = $1 AND i.customer_id = c.id AND i.type = 'email' AND i.value LIKE $4)`,
    [profileId, [...new Set(customerIds)], term.namePatterns, term.emailPattern],
  )
  return new Set(found)
}

/** More than a page: the best are chosen among them. */
const candidates = 200

interface Wanted {
  most: number
  exclude: string | null
}

/**
 * For a picker: customers whose name, e-mail or phone has the term, best first; only when these are too few, those
 * who nearly have it as well. Whoever typed an address or a number and found it meant nobody else.
 */
export async function pickCustomers(
  pool: pg.Pool,
  profileId: string,
  term: SearchTerm,
  wanted: Wanted,
): Promise<string[]> {
  const exact = await rank(pool, profileId, term, await findExact(pool, profileId, term), wanted)
  if (exact.length >= wanted.most || (exact.length > 0 && !term.nearName)) return exact
  const near = await rank(pool, profileId, term, await findNear(pool, profileId, term, wanted.most), wanted)
  const seen = new Set(exact)
  return [...exact, ...near.filter((id) => !seen.has(id))].slice(0, wanted.most)
}

/** Names and addresses are looked up side by side. */
async function findExact(pool: pg.Pool, profileId: string, term: SearchTerm): Promise<string[]> {
  const found = await Promise.all([
    findNamed(pool, profileId, term, candidates),
    find(pool, profileId, `${mailedAt} UNION SELECT customers_reached_by('phone', $3, $2) WHERE $3 IS NOT NULL`, [
      term.emailPattern,
      candidates,
      term.phonePattern,
    ]),
  ])
  return [...new Set(found.flat())]
}

const findNamed = (pool: pg.Pool, profileId: string, { namePatterns }: SearchTerm, most: number) =>
  find(pool, profileId, 'SELECT customers_named($1, $2) AS id', [namePatterns, most])

/** A part of an e-mail begins with %, what it begins with does not. */
const mailedAt = `
SELECT customers_reached_by('email', $1, $2) AS id WHERE left($1, 1) = '%'
UNION SELECT customers_mailed_at($1, $2) WHERE left($1, 1) <> '%'`

/** Those who are called nearly so; where they do not make a page, those whose address is nearly so as well. */
async function findNear(pool: pg.Pool, profileId: string, term: SearchTerm, most: number): Promise<string[]> {
  const found = new Set<string>()
  const looks = [
    ['customers_nearly_named', term.nearName],
    ['customers_nearly_reached_by', term.nearEmail],
  ] as const
  for (const [look, near] of looks) {
    if (near === null || found.size >= most) continue
    for (const id of await find(pool, profileId, `SELECT ${look}($1, $2) AS id`, [near, candidates])) found.add(id)
  }
  return [...found]
}

async function find(pool: pg.Pool, profileId: string, sql: string, values: unknown[]): Promise<string[]> {
  const { rows } = await asProfile(pool, profileId, (tx) => tx.query<{ id: string }>(sql, values))
  return rows.map(({ id }) => id)
}

/** What begins with the term before what contains it, and what is most alike before the rest. */
async function rank(
  pool: pg.Pool,
  profileId: string,
  term: SearchTerm,
  ids: string[],
  { most, exclude }: Wanted,
): Promise<string[]> {
  if (ids.length === 0) return []
  return find(
    pool,
    profileId,
    `SELECT c.id
     FROM unnest($3::uuid[]) AS found (id)
     -- One by one, OFFSET and all: the planner would rather read every customer than look up a few hundred.
     CROSS JOIN LATERAL (
       SELECT * FROM customers
       WHERE id = found.id AND profile_id = $1 AND merged_into IS NULL OFFSET 0) AS c
     CROSS JOIN LATERAL (
       SELECT searchable_name(c.first_name, c.last_name) AS name, (
         SELECT max(word_similarity($2, i.value)) FROM identifiers i
         WHERE $6 AND i.profile_id = c.profile_id AND i.customer_id = c.id AND i.type IN ('email', 'phone')) AS likeness
     ) AS text
     WHERE $4::uuid IS NULL OR c.id <> $4
     ORDER BY greatest(word_similarity(searchable($2), text.name), text.likeness) DESC,
       similarity(searchable($2), text.name) DESC, c.created_at DESC, c.id
     LIMIT $5`,
    [profileId, term.text, ids, exclude, most, term.emailPattern !== null || term.phonePattern !== null],
  )
}
