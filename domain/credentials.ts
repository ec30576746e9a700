import type { Role } from './roles.ts'
import { type Scope, withoutPersons } from './scopes.ts'

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
  provisioningAppId: string | null
  /** Writes are open: nobody provisioned it, or the app that did has switched attribution on (SPEC 5.6). */
  isEntitled: boolean
}

export interface Workspace {
  id: string
  name: string
  plan: string
  isHealthcareAgency: boolean
  /** The app that made it; the service sends its people no e-mail. */
  provisioningAppId: string | null
}

/** SPEC 1.6. Whatever is not certainly ordinary counts as healthcare: a status that cannot be read closes the door. */
export const isHealthcare = (status: { privacyMode?: unknown; isHealthcareAgency?: unknown }): boolean =>
  status.privacyMode !== 'standard' || status.isHealthcareAgency !== false

export const credentialKinds = ['api_key', 'session', 'mcp', 'app'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** Who calls, with the scopes it holds where this request takes place and all that they imply. */
export interface Credential {
  kind: CredentialKind
  /** Of the key, the session or the MCP token; of the app itself for an app token. */
  id: string
  /** The app behind an app token or a delegated key. */
  appId: string | null
  /** The person behind a session or an MCP token. */
  userId: string | null
  /** That person's role in the workspace that the request concerns. */
  role: Role | null
  scopes: ReadonlySet<Scope>
  rateLimitPerMinute: number
}

/** Everything but a person at the console hands what it reads to a program, often somebody else's. */
const isPartner = ({ kind }: Pick<Credential, 'kind'>): boolean => kind !== 'session'

/** The scopes that hold on this profile, whatever a row says: SPEC 5.5. */
export const scopesOn = (
  profile: Pick<Profile, 'isHealthcare'>,
  credential: Pick<Credential, 'kind'>,
  held: ReadonlySet<Scope>,
): ReadonlySet<Scope> => (profile.isHealthcare && isPartner(credential) ? new Set(withoutPersons([...held])) : held)
