import type pg from 'pg'
import type { Sql } from '../client.ts'

export interface Payer {
  profileId: string
  token: string
  /** Whoever this payment is assigned to is meant as well. */
  paymentId?: string
}

/** An identifier, or a browser, that outcomes are of. */
export interface Subject {
  profileId: string
  subjectId: string
}

export interface ErasedPayers {
  /** The erased customers among these payers, by profile. */
  among(payers: readonly Payer[]): Promise<Map<string, string[]>>
  /** Since when, in epoch milliseconds, those of these subjects are erased that are. */
  since(subjects: readonly Subject[]): Promise<Map<string, number>>
  forgetSubjectRefs(profileId: string, refs: readonly HeldRef[]): Promise<void>
}

/** Who payments were for, and whose subjects besides the erased customer's it is of. */
export interface HeldRef {
  token: string
  others: readonly string[]
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
  since: (subjects) => erasedSince(pool, subjects),
  forgetSubjectRefs: (profileId, refs) => forgetSubjectRefs(pool, profileId, refs),
})

export async function erasedSince(sql: Sql, subjects: readonly Subject[]): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ subjectId: string; at: number }>(
    `SELECT s.subject_id AS "subjectId", (extract(epoch FROM e.requested_at) * 1000)::float8 AS at
     FROM unnest($1::uuid[], $2::uuid[]) AS s (profile_id, subject_id)
     LEFT JOIN visitor_assignments a ON a.profile_id = s.profile_id AND a.visitor_id = s.subject_id
     JOIN identifiers i ON i.profile_id = s.profile_id AND i.token = coalesce(a.token, s.subject_id)
     JOIN erasures e ON e.id = i.erasure_id`,
    [subjects.map(({ profileId }) => profileId), subjects.map(({ subjectId }) => subjectId)],
  )
  return new Map(rows.map(({ subjectId, at }) => [subjectId, at]))
}

/** Destroys the way from these tokens back to who payments were for, unless it is also somebody's who was not erased. */
export async function forgetSubjectRefs(sql: Sql, profileId: string, refs: readonly HeldRef[]): Promise<void> {
  await sql.query(
    `WITH held AS (SELECT * FROM unnest($3::uuid[], $4::uuid[]) AS h (token, subject_id))
     DELETE FROM vault v WHERE v.profile_id = $1 AND v.type = 'subject_ref' AND v.token = ANY($2::uuid[])
       AND NOT EXISTS (
         SELECT FROM held h WHERE h.token = v.token AND NOT EXISTS (
           SELECT FROM identifiers i WHERE i.profile_id = $1 AND i.erasure_id IS NOT NULL
             AND i.token IN (h.subject_id, (SELECT a.token FROM visitor_assignments a
               WHERE a.profile_id = $1 AND a.visitor_id = h.subject_id))))`,
    [
      profileId,
      refs.map(({ token }) => token),
      refs.flatMap(({ token, others }) => others.map(() => token)),
      refs.flatMap(({ others }) => others),
    ],
  )
}
