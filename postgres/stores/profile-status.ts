import { isHealthcare } from '../../domain/credentials.ts'
import type { Sql } from '../client.ts'

/** Whether the profile is certainly no healthcare one, at this moment. A status that cannot be read is not certain. */
export async function isOrdinaryProfile(sql: Sql, profileId: string): Promise<boolean> {
  try {
    const { rows } = await sql.query<{ privacyMode: string; isHealthcareAgency: boolean }>(
      `SELECT p.privacy_mode AS "privacyMode", w.is_healthcare_agency AS "isHealthcareAgency"
       FROM profiles p JOIN workspaces w ON w.id = p.workspace_id WHERE p.id = $1`,
      [profileId],
    )
    return rows[0] !== undefined && !isHealthcare(rows[0])
  } catch {
    return false
  }
}
