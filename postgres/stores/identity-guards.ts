import type { BlockReason } from '../../domain/identity-graph.ts'
import type { Sql } from '../client.ts'

/** How many links each guard keeps from joining two people. */
export async function blockedLinks(sql: Sql, profileId: string): Promise<{ reason: BlockReason; count: number }[]> {
  const { rows } = await sql.query<{ reason: BlockReason; count: number }>(
    `SELECT blocked_by AS reason, count(*)::int AS count FROM identity_links
     WHERE profile_id = $1 AND blocked_by IS NOT NULL GROUP BY blocked_by ORDER BY blocked_by`,
    [profileId],
  )
  return rows
}

/** How many identifiers have met more partners than a person has. */
export async function countHubs(sql: Sql, profileId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM identifiers WHERE profile_id = $1 AND is_hub',
    [profileId],
  )
  return rows[0]!.count
}
