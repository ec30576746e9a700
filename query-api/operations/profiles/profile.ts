import { z } from 'zod'
import { privacyModes } from '../../../domain/credentials.ts'
import { isCurrency } from '../../../domain/currencies.ts'
import { timeZones } from '../../../domain/time-zones.ts'
import type { ProfileDetails } from '../../../postgres/stores/profiles.ts'

export const ProfileName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .meta({ examples: ['Acme Store'] })
export const Currency = z
  .string()
  .refine(isCurrency, 'must be an ISO 4217 code such as USD')
  .meta({ description: 'The currency of its reports, ISO 4217.', examples: ['CLP'] })
export const TimeZone = z
  .string()
  .max(64)
  .refine((name) => timeZones.has(name), 'must be an IANA name such as America/Santiago')
  .meta({ description: 'Whose days its reports use.', examples: ['America/Santiago'] })
export const PrivacyMode = z.enum(privacyModes).meta({
  description: '`platform_safe` and `hipaa` make it a healthcare profile: no partner reads single persons there.',
})

export const Profile = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    name: z.string(),
    reporting_currency: z.string(),
    timezone: z.string(),
    privacy_mode: PrivacyMode,
    is_healthcare: z.boolean().meta({ description: 'By its own mode, or by the mark of its workspace.' }),
    provisioned_by: z.uuid().nullable().meta({ description: 'The app that provisioned it.' }),
    entitlements: z.object({
      atribu_attribution: z.object({ enabled: z.boolean().meta({ description: 'Whether writes are open.' }) }),
    }),
    status: z.enum(['active', 'archived']),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Profile' })

export const toProfile = (profile: ProfileDetails): z.infer<typeof Profile> => ({
  id: profile.id,
  workspace_id: profile.workspaceId,
  name: profile.name,
  reporting_currency: profile.reportingCurrency,
  timezone: profile.timezone,
  privacy_mode: profile.privacyMode,
  is_healthcare: profile.isHealthcare,
  provisioned_by: profile.provisioningAppId,
  entitlements: { atribu_attribution: { enabled: profile.isEntitled } },
  status: profile.archivedAt === null ? 'active' : 'archived',
  created_at: profile.createdAt.toISOString(),
})
