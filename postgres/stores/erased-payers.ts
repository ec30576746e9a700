import type pg from 'pg'
import type { Sql } from '../client.ts'

export interface ErasedPayers {
  /** The erased customers among those whose tokens these are, by profile. */
  among(payers: readonly { profileId: string; token: string }[]): Promise<Map<string, string[]>>
  forgetSubjectRefs(profileId: string, tokens: readonly string[]): Promise<void>
}

export const erasedPayers = (pool: pg.Pool): ErasedPayers => ({
  async among(payers) {
    const { rows } = await pool.query<{ profileId: string; customerIds: string[] }>(
      `SELECT i.profile_id AS "profileId", array_agg(DISTINCT i.customer_id) AS "customerIds"
       FROM unnest($1::uuid[], $2::uuid[]) AS p (profile_id, token) JOIN identifiers i USING (profile_id, token)
       WHERE i.erasure_id IS NOT NULL GROUP BY i.profile_id`,
      [payers.map(({ profileId }) => profileId), payers.map(({ token }) => token)],
    )
    return new Map(rows.map(({ profileId, customerIds }) => [profileId, customerIds]))
  },
  forgetSubjectRefs: (profileId, tokens) => forgetSubjectRefs(pool, profileId, tokens),
})

/** Destroys the way from these tokens back to who payments were for. */
export async function forgetSubjectRefs(sql: Sql, profileId: string, tokens: readonly string[]): Promise<void> {
  await sql.query("DELETE FROM vault WHERE profile_id = $1 AND type = 'subject_ref' AND token = ANY($2::uuid[])", [
    profileId,
    tokens,
  ])
}
