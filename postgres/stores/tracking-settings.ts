import { defaultTrackingSettings, type TrackingSettings } from '../../domain/tracking-settings.ts'
import type { Sql } from '../client.ts'

export async function readTrackingSettings(sql: Sql, profileId: string): Promise<TrackingSettings> {
  const { rows } = await sql.query<{ settings: Partial<TrackingSettings> }>(
    'SELECT settings FROM tracking_settings WHERE profile_id = $1',
    [profileId],
  )
  return { ...defaultTrackingSettings, ...rows[0]?.settings }
}

/** Merges what is given, in one statement: of two writers at once each changes its own settings only. */
export async function changeTrackingSettings(
  sql: Sql,
  profileId: string,
  changes: Partial<TrackingSettings>,
): Promise<TrackingSettings> {
  const { rows } = await sql.query<{ settings: Partial<TrackingSettings> }>(
    `INSERT INTO tracking_settings (profile_id, settings) VALUES ($1, $2)
     ON CONFLICT (profile_id) DO UPDATE SET settings = tracking_settings.settings || excluded.settings, updated_at = now()
     RETURNING settings`,
    [profileId, changes],
  )
  return { ...defaultTrackingSettings, ...rows[0]!.settings }
}
