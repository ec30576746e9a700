import { z } from 'zod'
import { roles } from '../../../domain/roles.ts'
import type { Member as StoredMember, WorkspaceDetails } from '../../../postgres/stores/workspaces.ts'

export const WorkspaceName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .meta({ examples: ['Acme Agency'] })
export const WorkspacePath = z.object({ workspaceId: z.string() })
export const Role = z.enum(roles).meta({ id: 'Role', description: 'What a person may do in a workspace.' })

export const Workspace = z
  .object({
    id: z.uuid(),
    name: z.string(),
    plan: z.string(),
    active_profiles: z.int(),
    active_profiles_limit: z.int().nullable().meta({ description: 'What the plan has room for; null is no limit.' }),
    is_healthcare_agency: z.boolean().meta({ description: 'Every profile of it counts as a healthcare profile.' }),
    provisioned_by: z.uuid().nullable().meta({ description: 'The app that provisioned it.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Workspace' })

export const toWorkspace = (workspace: WorkspaceDetails): z.infer<typeof Workspace> => ({
  id: workspace.id,
  name: workspace.name,
  plan: workspace.plan,
  active_profiles: workspace.activeProfiles,
  active_profiles_limit: workspace.activeProfilesLimit,
  is_healthcare_agency: workspace.isHealthcareAgency,
  provisioned_by: workspace.provisioningAppId,
  created_at: workspace.createdAt.toISOString(),
})

export const Member = z
  .object({ user_id: z.uuid(), email: z.string(), role: Role, joined_at: z.iso.datetime() })
  .meta({ id: 'Member' })

export const toMember = (member: StoredMember): z.infer<typeof Member> => ({
  user_id: member.userId,
  email: member.email,
  role: member.role,
  joined_at: member.joinedAt.toISOString(),
})
