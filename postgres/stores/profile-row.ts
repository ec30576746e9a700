import { isHealthcare, type PrivacyMode, type Profile } from '../../domain/credentials.ts'

export interface ProfileColumns {
  profile_id: string
  workspace_id: string
  reporting_currency: string
  timezone: string
  privacy_mode: PrivacyMode
  is_healthcare_agency: boolean
  provisioning_app_id: string | null
  is_attribution_enabled: boolean
}

/** Of `profiles p` and `workspaces w`: what a request must know of the profile it acts on. */
export const profileColumns = `p.id AS profile_id, p.workspace_id, p.reporting_currency, p.timezone, p.privacy_mode,
  w.is_healthcare_agency, p.provisioning_app_id, p.is_attribution_enabled`

/** A profile that is still worked with; neither it nor its workspace has been archived. */
export const isLive = 'p.archived_at IS NULL AND w.archived_at IS NULL'

export const toProfile = (row: ProfileColumns): Profile => ({
  id: row.profile_id,
  workspaceId: row.workspace_id,
  reportingCurrency: row.reporting_currency,
  timezone: row.timezone,
  privacyMode: row.privacy_mode,
  isHealthcare: isHealthcare({ privacyMode: row.privacy_mode, isHealthcareAgency: row.is_healthcare_agency }),
  provisioningAppId: row.provisioning_app_id,
  isEntitled: row.provisioning_app_id === null || row.is_attribution_enabled,
})
