import type { Sql } from '../client.ts'

/** Keys of the profile's conversion definitions: the goals that its reports know. */
export async function goalKeys(sql: Sql, profileId: string): Promise<string[]> {
  const { rows } = await sql.query<{ key: string }>(
    'SELECT conversion_key AS key FROM conversion_definitions WHERE profile_id = $1 ORDER BY conversion_key',
    [profileId],
  )
  return rows.map(({ key }) => key)
}
