import type { Scope } from './scopes.ts'

export const privacyModes = ['standard', 'platform_safe', 'hipaa'] as const
export type PrivacyMode = (typeof privacyModes)[number]

export interface Profile {
  id: string
  workspaceId: string
  reportingCurrency: string
  timezone: string
  privacyMode: PrivacyMode
  /** The profile's own mode, or its workspace's mark: partners never read persons here. */
  isHealthcare: boolean
}

export const credentialKinds = ['api_key', 'session', 'mcp', 'app'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** Who calls: every credential is bound to one profile, and holds its scopes with all that they imply. */
export interface Credential {
  kind: CredentialKind
  id: string
  appId: string | null
  /** The console user behind a session or a user token. */
  userId?: string | null
  scopes: ReadonlySet<Scope>
  rateLimitPerMinute: number
}
