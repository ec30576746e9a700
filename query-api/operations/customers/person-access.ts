import type { Credential, Profile } from '../../../domain/credentials.ts'

/** Whether the caller is told who it was. Partners never are on a healthcare profile, whatever their key says. */
export const readsPersons = ({ credential, profile }: { credential: Credential; profile: Profile }): boolean =>
  credential.scopes.has('customers:read') && !(profile.isHealthcare && isPartner(credential))

/** Keys and app tokens are a partner's; sessions and MCP tokens are a person's of the workspace. */
const isPartner = ({ kind }: Credential) => kind === 'api_key' || kind === 'app'
