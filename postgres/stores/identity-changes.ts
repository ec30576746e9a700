import type { Sql } from '../client.ts'

/** The newest change of the identity map that has not reached the warehouse, if there is one. */
export async function newestIdentityChange(sql: Sql): Promise<bigint | undefined> {
  const { rows } = await sql.query<{ version: string | null }>('SELECT max(version) AS version FROM identity_changes')
  return rows[0]?.version ? BigInt(rows[0].version) : undefined
}

/** How many changes up to this version have not reached the warehouse. */
export async function countIdentityChanges(sql: Sql, upTo: bigint): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM identity_changes WHERE version <= $1',
    [upTo],
  )
  return rows[0]!.count
}
