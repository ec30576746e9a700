import type pg from 'pg'

/**
 * One writer of a profile's identities at a time: two processors never create one person twice. Returns the profiles
 * that there are; they stay until the transaction ends.
 */
export async function lockProfiles(tx: pg.PoolClient, profileIds: string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id, pg_advisory_xact_lock(hashtextextended(id::text, 0))
     FROM (SELECT id FROM profiles WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE) AS known`,
    [profileIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The same lock for whoever serves one profile: its rows hold on to the profile themselves. */
export async function lockProfile(tx: pg.PoolClient, profileId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [profileId])
}
