import type pg from 'pg'
import type { PrivacyMode } from '../../domain/credentials.ts'
import { isUuid } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Sql } from '../client.ts'
import { forgetRankings } from './ad-scores.ts'
import { type ProfileColumns, profileColumns, toProfile } from './profile-row.ts'
import { tellSettings } from './tenancy.ts'

/** A profile as those who manage it see it. */
export interface ProfileDetails {
  id: string
  workspaceId: string
  name: string
  reportingCurrency: string
  timezone: string
  privacyMode: PrivacyMode
  isHealthcare: boolean
  provisioningAppId: string | null
  isEntitled: boolean
  createdAt: Date
  archivedAt: Date | null
}

interface Row extends ProfileColumns {
  name: string
  created_at: Date
  archived_at: Date | null
}

const columns = `${profileColumns}, p.name, p.created_at, p.archived_at`
const tables = 'profiles p JOIN workspaces w ON w.id = p.workspace_id'

const toDetails = (row: Row): ProfileDetails => ({
  ...toProfile(row),
  name: row.name,
  createdAt: row.created_at,
  archivedAt: row.archived_at,
})

export async function readProfile(sql: Sql, id: string): Promise<ProfileDetails | undefined> {
  const { rows } = await sql.query<Row>(`SELECT ${columns} FROM ${tables} WHERE p.id = $1 AND p.deleted_at IS NULL`, [
    id,
  ])
  return rows[0] && toDetails(rows[0])
}

/** Locked against a change of its privacy until the transaction ends, so that nothing is granted by an older status. */
export async function holdProfile(sql: Sql, id: string): Promise<ProfileDetails | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM ${tables} WHERE p.id = $1 AND p.deleted_at IS NULL FOR SHARE`,
    [id],
  )
  return rows[0] && toDetails(rows[0])
}

/** Ids of all profiles, archived ones too; for work on every profile, never for an answer to one. */
export async function everyProfile(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM profiles ORDER BY id')
  return rows.map(({ id }) => id)
}

/** Those of a person's workspaces, or those that an app has a live grant on; keyset by id. */
export async function listProfilesOf(
  sql: Sql,
  who: { userId: string } | { appId: string },
  page: { after: string | undefined; limit: number },
): Promise<ProfileDetails[]> {
  const mine =
    'userId' in who
      ? 'EXISTS (SELECT FROM memberships m WHERE m.workspace_id = w.id AND m.user_id = $1)'
      : 'EXISTS (SELECT FROM grants g WHERE g.profile_id = p.id AND g.app_id = $1 AND g.revoked_at IS NULL)'
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM ${tables}
     WHERE ${mine} AND p.deleted_at IS NULL AND w.archived_at IS NULL AND ($2::uuid IS NULL OR p.id > $2)
     ORDER BY p.id LIMIT $3`,
    ['userId' in who ? who.userId : who.appId, page.after ?? null, page.limit],
  )
  return rows.map(toDetails)
}

/** Archived ones as well, for those who govern it: a person with a role in its workspace, or the app that made it. */
export async function findGoverned(
  sql: Sql,
  who: { userId: string | null; appId: string | null },
  id: string,
): Promise<{ profile: ProfileDetails; role: Role | null } | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<Row & { role: Role | null }>(
    `SELECT ${columns}, m.role FROM ${tables} LEFT JOIN memberships m ON m.workspace_id = w.id AND m.user_id = $2
     WHERE p.id = $1 AND p.deleted_at IS NULL AND w.archived_at IS NULL
       AND (m.role IS NOT NULL OR p.provisioning_app_id = $3)`,
    [id, who.userId, who.appId],
  )
  return rows[0] && { profile: toDetails(rows[0]), role: rows[0].role }
}

export interface ProfileChange {
  name?: string | undefined
  reportingCurrency?: string | undefined
  timezone?: string | undefined
  privacyMode?: PrivacyMode | undefined
}

/**
 * The only writer of a profile's own settings. The database withdraws person-level keys and scopes with a privacy mode
 * that asks for it (migration 0020); what figures depend on goes to the pipeline.
 */
export async function changeProfile(tx: pg.PoolClient, id: string, change: ProfileChange): Promise<void> {
  const { rows } = await tx.query<{
    settings_version: string
    currency: string
    timezone: string
    moved: boolean
    recounted: boolean
  }>(
    `WITH before AS (SELECT reporting_currency, timezone FROM profiles WHERE id = $1 FOR UPDATE)
     UPDATE profiles p SET
       name = coalesce($2, p.name),
       privacy_mode = coalesce($5, p.privacy_mode),
       reporting_currency = coalesce($3, p.reporting_currency),
       timezone = coalesce($4, p.timezone),
       settings_version = p.settings_version +
         ((coalesce($3, p.reporting_currency), coalesce($4, p.timezone)) <> (p.reporting_currency, p.timezone))::int
     FROM before WHERE p.id = $1
     RETURNING p.settings_version, p.reporting_currency AS currency, p.timezone,
       (p.reporting_currency, p.timezone) <> (before.reporting_currency, before.timezone) AS moved,
       p.reporting_currency <> before.reporting_currency AS recounted`,
    [id, change.name ?? null, change.reportingCurrency ?? null, change.timezone ?? null, change.privacyMode ?? null],
  )
  const [row] = rows
  if (!row?.moved) return
  if (row.recounted) await forgetRankings(tx, id)
  const { currency, timezone } = row
  await tellSettings(tx, { profileId: id, version: Number(row.settings_version), currency, timezone })
}

export async function setEntitlement(sql: Sql, id: string, isEnabled: boolean): Promise<void> {
  await sql.query('UPDATE profiles SET is_attribution_enabled = $2 WHERE id = $1', [id, isEnabled])
}

/** False when it is archived already. */
export async function archiveProfile(sql: Sql, id: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    'UPDATE profiles SET archived_at = now() WHERE id = $1 AND archived_at IS NULL AND deleted_at IS NULL',
    [id],
  )
  return rowCount === 1
}

/** False when it is not archived. */
export async function restoreProfile(sql: Sql, id: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    'UPDATE profiles SET archived_at = NULL WHERE id = $1 AND archived_at IS NOT NULL AND deleted_at IS NULL',
    [id],
  )
  return rowCount === 1
}

/**
 * Everything that belongs to the profile goes with it: keys, people, receipts, and the vault, without which what topics
 * hold can no longer be read. Its bare row stays, nameless, because messages still on their way refer to it.
 */
export async function deleteProfile(tx: pg.PoolClient, id: string): Promise<void> {
  const kept = `id, workspace_id, reporting_currency, timezone, privacy_mode, provisioning_app_id, settings_version,
    created_at, archived_at`
  await tx.query(`CREATE TEMPORARY TABLE deleted ON COMMIT DROP AS SELECT ${kept} FROM profiles WHERE id = $1`, [id])
  await tx.query('DELETE FROM profiles WHERE id = $1', [id])
  await tx.query(`INSERT INTO profiles (${kept}, name, deleted_at) SELECT ${kept}, '', now() FROM deleted`)
}

export interface PlanRoom {
  activeProfiles: number
  limit: number | null
  plan: string
  /** The next larger plan, if there is one. */
  upgrade: string | null
}

/** How many profiles the workspace has and may have; held, so that two at once cannot both be the last one. */
export async function holdPlan(tx: pg.PoolClient, workspaceId: string): Promise<PlanRoom> {
  await tx.query('SELECT FROM workspaces WHERE id = $1 FOR UPDATE', [workspaceId])
  const { rows } = await tx.query<{ active: number; limit: number | null; plan: string; upgrade: string | null }>(
    `SELECT (SELECT count(*)::int FROM profiles p WHERE p.workspace_id = w.id AND p.archived_at IS NULL) AS active,
       plans.active_profiles AS limit, plans.name AS plan,
       (SELECT larger.name FROM plans larger WHERE larger.rank > plans.rank ORDER BY larger.rank LIMIT 1) AS upgrade
     FROM workspaces w JOIN plans ON plans.name = w.plan WHERE w.id = $1`,
    [workspaceId],
  )
  const { active, limit, plan, upgrade } = rows[0]!
  return { activeProfiles: active, limit, plan, upgrade }
}
