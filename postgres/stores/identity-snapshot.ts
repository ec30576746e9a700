import type pg from 'pg'
import { noId } from '../../domain/ids.ts'

export interface MapRow {
  subjectId: string
  customerId: string
}

const pageSize = 10_000

/**
 * A profile's identity map as Postgres has it, in pages, with the version that it is as of. Whoever changes the
 * profile's identities takes a version under the profile's lock (`identityStore.observe`); so does this, before its
 * snapshot: every change with a lower version is in the pages, every later one has a higher version and wins over them.
 */
export async function identitySnapshot(
  pool: pg.Pool,
  profileId: string,
  onPage: (rows: MapRow[], version: string) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    // A session's lock, taken outside the transaction: inside, the snapshot would be older than the lock.
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [profileId])
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE')
    const { rows: taken } = await client.query<{ version: string }>("SELECT nextval('identity_version') AS version")
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [profileId])
    for (const sql of [identifierPages, visitorPages]) {
      for (let after = noId; ; ) {
        const { rows } = await client.query<MapRow>(sql, [profileId, after, pageSize])
        if (rows.length > 0) await onPage(rows, taken[0]!.version)
        if (rows.length < pageSize) break
        after = rows.at(-1)!.subjectId
      }
    }
    await client.query('COMMIT')
  } catch (error) {
    // Ends the session, and with it the lock and the transaction.
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

const identifierPages = `
  SELECT token AS "subjectId", customer_id AS "customerId" FROM identifiers
  WHERE profile_id = $1 AND token > $2 ORDER BY token LIMIT $3`

const visitorPages = `
  SELECT v.visitor_id AS "subjectId", i.customer_id AS "customerId"
  FROM visitor_assignments v JOIN identifiers i USING (profile_id, token)
  WHERE v.profile_id = $1 AND v.visitor_id > $2 ORDER BY v.visitor_id LIMIT $3`

/** Profiles that have an identity map at all. */
export async function identifiedProfiles(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM profiles p WHERE EXISTS (SELECT FROM identifiers i WHERE i.profile_id = p.id) ORDER BY id',
  )
  return rows.map(({ id }) => id)
}
