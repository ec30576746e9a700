import { isUuid } from '../../domain/ids.ts'
import { randomText } from '../../domain/random-text.ts'
import type { Sql } from '../client.ts'

/** Public by nature: it sits in the page of every site that uses it, and only names the profile that hits go to. */
export interface TrackingKey {
  id: string
  key: string
  isActive: boolean
  createdAt: Date
  lastSeenAt: Date | null
}

interface Row {
  id: string
  key: string
  created_at: Date
  last_seen_at: Date | null
  revoked_at: Date | null
}

const columns = 'id, key, created_at, last_seen_at, revoked_at'

const toTrackingKey = (row: Row): TrackingKey => ({
  id: row.id,
  key: row.key,
  isActive: row.revoked_at === null,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
})

/** The profile's active key, or a new one: the partial unique index leaves one winner under any concurrency. */
export async function issueTrackingKey(
  sql: Sql,
  profileId: string,
): Promise<{ trackingKey: TrackingKey; isNew: boolean }> {
  for (;;) {
    const { rows: created } = await sql.query<Row>(
      `INSERT INTO tracking_keys (profile_id, key) VALUES ($1, $2)
       ON CONFLICT (profile_id) WHERE revoked_at IS NULL DO NOTHING RETURNING ${columns}`,
      [profileId, `tl_pub_${randomText(24)}`],
    )
    if (created[0]) return { trackingKey: toTrackingKey(created[0]), isNew: true }
    const [existing] = await listTrackingKeys(sql, profileId)
    if (existing) return { trackingKey: existing, isNew: false }
    // The key that stood in the way was revoked between the two statements: the next round creates one.
  }
}

/** The active keys of the profile. */
export async function listTrackingKeys(sql: Sql, profileId: string): Promise<TrackingKey[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM tracking_keys WHERE profile_id = $1 AND revoked_at IS NULL ORDER BY created_at, id`,
    [profileId],
  )
  return rows.map(toTrackingKey)
}

/** When a hit of the profile was last accepted, also with a key that is revoked by now. */
export async function lastHitOf(sql: Sql, profileId: string): Promise<Date | null> {
  const { rows } = await sql.query<{ last: Date | null }>(
    'SELECT max(last_seen_at) AS last FROM tracking_keys WHERE profile_id = $1',
    [profileId],
  )
  return rows[0]!.last
}

/** Nothing when the profile has no active key with that id. */
export async function revokeTrackingKey(sql: Sql, profileId: string, id: string): Promise<TrackingKey | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<Row>(
    `UPDATE tracking_keys SET revoked_at = now()
     WHERE id = $1 AND profile_id = $2 AND revoked_at IS NULL RETURNING ${columns}`,
    [id, profileId],
  )
  return rows[0] && toTrackingKey(rows[0])
}
