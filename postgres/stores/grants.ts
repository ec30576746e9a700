import { isUuid } from '../../domain/ids.ts'
import { isAdministrative, type Scope } from '../../domain/scopes.ts'
import type { Sql } from '../client.ts'

export interface Grant {
  appId: string
  appName: string
  scopes: string[]
  createdAt: Date
  updatedAt: Date
}

interface Row {
  app_id: string
  app_name: string
  scopes: string[]
  created_at: Date
  updated_at: Date
}

const toGrant = (row: Row): Grant => ({
  appId: row.app_id,
  appName: row.app_name,
  scopes: row.scopes,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const columns = 'g.app_id, a.name AS app_name, g.scopes, g.created_at, g.updated_at'

/** Gives the app these scopes on the profile in place of any it had. What an app holds by itself is never in a grant. */
export async function grantApp(
  sql: Sql,
  grant: { appId: string; profileId: string; scopes: readonly Scope[] },
): Promise<Grant> {
  const { rows } = await sql.query<Row>(
    `WITH g AS (
       INSERT INTO grants (profile_id, app_id, scopes) VALUES ($1, $2, $3)
       ON CONFLICT (profile_id, app_id) DO UPDATE SET scopes = excluded.scopes, updated_at = now(), revoked_at = NULL
       RETURNING *
     ) SELECT ${columns} FROM g JOIN apps a ON a.id = g.app_id`,
    [grant.profileId, grant.appId, grant.scopes.filter((scope) => !isAdministrative(scope))],
  )
  return toGrant(rows[0]!)
}

/** Adds to what the app may do already. */
export async function widenGrant(
  sql: Sql,
  grant: { appId: string; profileId: string; scopes: readonly Scope[] },
): Promise<void> {
  await sql.query(
    `INSERT INTO grants AS g (profile_id, app_id, scopes) VALUES ($1, $2, $3)
     ON CONFLICT (profile_id, app_id) DO UPDATE SET updated_at = now(), revoked_at = NULL, scopes =
       ARRAY(SELECT DISTINCT unnest(excluded.scopes || CASE WHEN g.revoked_at IS NULL THEN g.scopes END) ORDER BY 1)`,
    [grant.profileId, grant.appId, grant.scopes.filter((scope) => !isAdministrative(scope))],
  )
}

/** The live grants of the profile. */
export async function listGrants(sql: Sql, profileId: string): Promise<Grant[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM grants g JOIN apps a ON a.id = g.app_id
     WHERE g.profile_id = $1 AND g.revoked_at IS NULL ORDER BY g.created_at, g.app_id`,
    [profileId],
  )
  return rows.map(toGrant)
}

/** Held against change until the transaction ends, so that nothing is minted under a grant that is being taken away. */
export async function holdGrant(sql: Sql, appId: string, profileId: string): Promise<string[] | undefined> {
  const { rows } = await sql.query<{ scopes: string[] }>(
    'SELECT scopes FROM grants WHERE profile_id = $1 AND app_id = $2 AND revoked_at IS NULL FOR SHARE',
    [profileId, appId],
  )
  return rows[0]?.scopes
}

/** Ends the grant and every key under it. False when there is no such grant. */
export async function revokeGrant(sql: Sql, appId: string, profileId: string): Promise<boolean> {
  if (!isUuid(appId)) return false
  const { rowCount } = await sql.query(
    `WITH ended AS (
       UPDATE grants SET revoked_at = now(), updated_at = now()
       WHERE profile_id = $1 AND app_id = $2 AND revoked_at IS NULL RETURNING profile_id, app_id
     ), keys AS (
       UPDATE api_keys k SET revoked_at = now() FROM ended
       WHERE k.profile_id = ended.profile_id AND k.app_id = ended.app_id AND k.revoked_at IS NULL
     ) SELECT 1 FROM ended`,
    [profileId, appId],
  )
  return rowCount === 1
}
