import type { Sql } from '../client.ts'

/** Full names of customers, as far as they have one; of a merged-away customer its survivor's. */
export async function customerNames(sql: Sql, profileId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ id: string; name: string }>(
    `WITH RECURSIVE found AS (
       SELECT c.id AS asked, c.id, c.merged_into, c.first_name, c.last_name FROM customers c
       WHERE c.profile_id = $1 AND c.id = ANY($2::uuid[])
       UNION
       SELECT f.asked, c.id, c.merged_into, c.first_name, c.last_name
       FROM found f JOIN customers c ON c.profile_id = $1 AND c.id = f.merged_into
     )
     SELECT asked AS id, concat_ws(' ', first_name, last_name) AS name FROM found
     WHERE merged_into IS NULL AND concat_ws(' ', first_name, last_name) <> ''`,
    [profileId, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
