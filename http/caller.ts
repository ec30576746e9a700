import type { IncomingHttpHeaders } from 'node:http'
import type { Credential, Profile, Workspace } from '../domain/credentials.ts'
import type { Prompt } from '../domain/prompt.ts'
import type { Role } from '../domain/roles.ts'
import type { Scope } from '../domain/scopes.ts'
import { ApiError } from './errors.ts'

/** What a request shows of its caller. */
export interface Presented {
  method: string
  headers: IncomingHttpHeaders
}

/** The scopes that hold in one place, and the role there of a person. */
export interface Standing {
  scopes: ReadonlySet<Scope>
  role: Role | null
}

/** Who calls. What it may do depends on the place that the request names, and is asked for once that is known. */
export interface Caller {
  /** With the scopes that it holds before any place is named. */
  credential: Credential
  /** The one profile of an API key; others name theirs. */
  boundTo: string | undefined
  /** Nothing for a profile that it has no part in, just as for one that does not exist. */
  inProfile(id: string): Prompt<(Standing & { profile: Profile }) | undefined>
  inWorkspace(id: string): Prompt<(Standing & { workspace: Workspace }) | undefined>
}

/** From a request to its caller; throws `unauthorized` for whatever is not a live credential. */
export type Authenticate = (presented: Presented) => Prompt<Caller>

/** One message for every reason, so that nothing is disclosed about which credentials exist. */
export const unauthorized = () =>
  new ApiError('unauthorized', undefined, {}, { headers: { 'www-authenticate': 'Bearer realm="touchline"' } })

export const bearerToken = ({ headers }: Presented): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
