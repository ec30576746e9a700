import type pg from 'pg'
import type { SearchTerm } from '../../domain/search-term.ts'
import { asProfile } from '../as-profile.ts'

/** Customers whose name or e-mail has the term, in no order; null when they are more than `most`. */
export async function customersMatching(
  pool: pg.Pool,
  profileId: string,
  term: SearchTerm,
  most: number,
): Promise<string[] | null> {
  if (await isCommonName(pool, profileId, term, most)) return null
  const found = await Promise.all([
    findNamed(pool, profileId, term, most + 1),
    findMailed(pool, profileId, term, most + 1),
  ])
  // Somebody may have two such addresses: what was cut off may be somebody else's.
  if (found.some((ids) => ids.length > most)) return null
  const customers = new Set(found.flat())
  return customers.size > most ? null : [...customers]
}

/** Whether more than so many are called so, as far as the words of names tell without a look at anybody. */
async function isCommonName(pool: pg.Pool, profileId: string, { namePatterns }: SearchTerm, most: number) {
  if (namePatterns.length !== 1) return false
  const { rows } = await asProfile(pool, profileId, (tx) =>
    tx.query<{ named: string }>('SELECT count_named($1) AS named', namePatterns),
  )
  return Number(rows[0]!.named) > most
}

/** Of these customers, those whose name or e-mail has the term; each half of them on a connection of its own. */
export async function keepMatching(
  pool: pg.Pool,
  profileId: string,
  customerIds: readonly string[],
  term: SearchTerm,
): Promise<Set<string>> {
  const ids = [...new Set(customerIds)]
  const half = Math.ceil(ids.length / 2)
  const found = await Promise.all(
    [ids.slice(0, half), ids.slice(half)].map((some) =>
      find(
        pool,
        profileId,
        `SELECT c.id FROM unnest($2::uuid[]) AS wanted (id)
         JOIN customers c ON c.id = wanted.id AND c.profile_id = $1
         WHERE cardinality($3::text[]) > 0
           AND left(searchable_name(c.first_name, c.last_name), 400) LIKE ALL (ARRAY(SELECT searchable(p) FROM unnest($3::text[]) AS p))
           OR EXISTS (
             SELECT FROM identifiers i
             WHERE i.profile_id = $1 AND i.customer_id = c.id AND i.type = 'email' AND i.value LIKE $4)`,
        [profileId, some, term.namePatterns, term.emailPattern],
      ),
    ),
  )
  return new Set(found.flat())
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
  { most, exclude }: Wanted,
): Promise<string[]> {
  const isName = term.nearName !== null
  const named = findNamed(pool, profileId, term, candidates)
  const reached = () => findReached(pool, profileId, term)
  // Names are found sooner than addresses. Where very many have one it is enough, where few do near ones are looked for.
  const [byName, byAddress, nearlyNamed] = await Promise.all([
    named,
    isName ? named.then((ids) => (ids.length < candidates ? reached() : [])) : reached(),
    isName ? named.then((ids) => (ids.length < most ? findNearlyNamed(pool, profileId, term) : [])) : [],
  ])
  const exact = new Set([...byName, ...byAddress].filter((id) => id !== exclude))
  if (exact.size >= most || (exact.size > 0 && !isName)) return rank(pool, profileId, term, { exact, near: [], most })
  const isOther = (id: string) => id !== exclude && !exact.has(id)
  const near = nearlyNamed.filter(isOther)
  if (exact.size + near.length < most) near.push(...(await findNearlyMailed(pool, profileId, term)).filter(isOther))
  return rank(pool, profileId, term, { exact, near, most })
}

const findNamed = (pool: pg.Pool, profileId: string, { namePatterns }: SearchTerm, most: number) =>
  find(pool, profileId, 'SELECT customers_named($1, $2) AS id', [namePatterns, most])

/** A part of an e-mail begins with %, what it begins with does not. */
const mailedAt = `
SELECT customers_reached_by('email', $1, $2) AS id WHERE left($1, 1) = '%'
UNION ALL SELECT customers_mailed_at($1, $2) WHERE left($1, 1) <> '%'`

const findMailed = (pool: pg.Pool, profileId: string, { emailPattern }: SearchTerm, most: number) =>
  find(pool, profileId, mailedAt, [emailPattern, most])

const findReached = (pool: pg.Pool, profileId: string, { emailPattern, phonePattern }: SearchTerm) =>
  find(pool, profileId, `${mailedAt} UNION ALL SELECT customers_reached_by('phone', $3, $2) WHERE $3 IS NOT NULL`, [
    emailPattern,
    candidates,
    phonePattern,
  ])

const findNearlyNamed = (pool: pg.Pool, profileId: string, { nearName }: SearchTerm) =>
  find(pool, profileId, 'SELECT customers_nearly_named($1, $2) AS id', [nearName, candidates])

const findNearlyMailed = (pool: pg.Pool, profileId: string, { nearEmail }: SearchTerm) =>
  find(pool, profileId, 'SELECT customers_nearly_reached_by($1, $2) AS id WHERE $1 IS NOT NULL', [
    nearEmail,
    candidates,
  ])

async function find(pool: pg.Pool, profileId: string, sql: string, values: unknown[]): Promise<string[]> {
  const { rows } = await asProfile(pool, profileId, (tx) => tx.query<{ id: string }>(sql, values))
  return rows.map(({ id }) => id)
}

/** Who has the term before who nearly has it; what begins with it before what contains it; the most alike first. */
async function rank(
  pool: pg.Pool,
  profileId: string,
  term: SearchTerm,
  { exact, near, most }: { exact: Set<string>; near: string[]; most: number },
): Promise<string[]> {
  const found = [...exact, ...new Set(near)]
  if (found.length === 0) return []
  return find(
    pool,
    profileId,
    `SELECT c.id
     FROM unnest($3::uuid[]) WITH ORDINALITY AS found (id, place)
     -- One by one, OFFSET and all: the planner would rather read every customer than look up a few hundred.
     CROSS JOIN LATERAL (
       SELECT * FROM customers
       WHERE id = found.id AND profile_id = $1 AND merged_into IS NULL OFFSET 0) AS c
     CROSS JOIN LATERAL (
       SELECT searchable_name(c.first_name, c.last_name) AS name, (
         SELECT max(word_similarity($2, i.value)) FROM identifiers i
         WHERE $6 AND i.profile_id = c.profile_id AND i.customer_id = c.id AND i.type IN ('email', 'phone')) AS likeness
     ) AS text
     ORDER BY found.place <= $4 DESC, greatest(word_similarity(searchable($2), text.name), text.likeness) DESC,
       similarity(searchable($2), text.name) DESC, c.created_at DESC, c.id
     LIMIT $5`,
    [profileId, term.text, found, exact.size, most, term.emailPattern !== null || term.phonePattern !== null],
  )
}
