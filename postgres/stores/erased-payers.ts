import type pg from 'pg'
import type { Sql } from '../client.ts'

export interface Payer {
  profileId: string
  token: string
  /** Whoever this payment is assigned to is meant as well. */
  paymentId?: string
}

export interface ErasedPayers {
  /** The erased customers among these payers, by profile. */
  among(payers: readonly Payer[]): Promise<Map<string, string[]>>
  forgetSubjectRefs(profileId: string, tokens: readonly string[]): Promise<void>
}

export const erasedPayers = (pool: pg.Pool): ErasedPayers => ({
  async among(payers) {
    const { rows } = await pool.query<{ profileId: string; customerIds: string[] }>(
      `WITH told AS (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS t (profile_id, token, payment_id)
       ), payers AS (
         SELECT profile_id, token FROM told
         UNION SELECT profile_id, a.payer_subject_id FROM told JOIN payment_actions a USING (profile_id, payment_id)
         WHERE a.kind = 'payer'
       )
       SELECT i.profile_id AS "profileId", array_agg(DISTINCT i.customer_id) AS "customerIds"
       FROM payers JOIN identifiers i USING (profile_id, token)
       WHERE i.erasure_id IS NOT NULL GROUP BY i.profile_id`,
      [
        payers.map(({ profileId }) => profileId),
        payers.map(({ token }) => token),
        payers.map(({ paymentId }) => paymentId ?? null),
      ],
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
