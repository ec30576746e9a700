import { expandScopes, isPersonal, type Scope, scopes } from './scopes.ts'

export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

const isRead = (scope: Scope) => scope.endsWith(':read') || scope === 'analytics' || scope === 'analytics_pii'
const every: ReadonlySet<Scope> = new Set(scopes)
const reads: ReadonlySet<Scope> = new Set(scopes.filter(isRead))

/** A member looks at everything and changes nothing; an admin does all but what concerns owners. */
const scopesByRole: Record<Role, ReadonlySet<Scope>> = { owner: every, admin: every, member: reads }

export const scopesOfRole = (role: Role): ReadonlySet<Scope> => scopesByRole[role]

/** What a person may do before any workspace is named: start one of their own. */
export const scopesOfUser: ReadonlySet<Scope> = new Set(['analytics:read', 'workspaces:write', 'profiles:write'])

/** `mcp:read` reads whatever its person may read, persons excepted: those take a scope of their own. */
export function scopesOfMcpToken(granted: readonly string[]): ReadonlySet<Scope> {
  const held = expandScopes(granted)
  if (!held.has('mcp:read') && !held.has('mcp:write')) return held
  return new Set([...held, ...[...reads].filter((scope) => !isPersonal(scope))])
}

export const isAdministrator = (role: Role | null): boolean => role === 'owner' || role === 'admin'

/** Owners are made and unmade by owners; an admin governs the rest. */
export const mayGovern = (role: Role | null, ...concerned: (Role | null)[]): boolean =>
  role === 'owner' || (role === 'admin' && !concerned.includes('owner'))
