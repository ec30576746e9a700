/** What each scope lets its holder do, and which further scopes come with it. */
export const scopeTable = {
  'analytics:read': { allows: 'Read aggregated reports, goals and tracking settings.', implies: [] },
  'campaigns:read': { allows: 'Read campaigns, ad sets, ads and what they earned.', implies: [] },
  'campaigns:apply': { allows: 'Pause, resume and change budgets on the ad platform.', implies: [] },
  'conversions:read': { allows: 'Read conversions and journeys without the person.', implies: [] },
  'customers:read': { allows: 'Read customers as persons: names, e-mails, phones, journeys.', implies: [] },
  'visitors:read': { allows: 'Read single visitors and their events.', implies: [] },
  'commerce:read': { allows: 'Read payments and orders.', implies: [] },
  'attribution:write': { allows: 'Send events, import customers, manage tracking, change payments.', implies: [] },
  'goals:write': { allows: 'Create and change conversion definitions.', implies: [] },
  'creatives:write': { allows: 'Ask for creative analyses.', implies: [] },
  'connections:read': { allows: 'Read connections to ad platforms, CRMs and payment providers.', implies: [] },
  'connections:write': { allows: 'Start, finish and end connections.', implies: [] },
  'exports:read': { allows: 'Read exports.', implies: [] },
  'exports:write': { allows: 'Start exports.', implies: [] },
  'workspaces:write': { allows: 'Create workspaces and manage their people.', implies: [] },
  'profiles:write': { allows: 'Create and manage profiles and their keys.', implies: [] },
  'mcp:read': { allows: 'Read through an MCP client whatever its user may read, without persons.', implies: [] },
  'mcp:write': {
    allows: 'Write through an MCP client.',
    implies: ['workspaces:write', 'profiles:write'],
  },
  analytics: {
    allows: 'Bundle: every read without persons.',
    implies: ['analytics:read', 'campaigns:read', 'conversions:read', 'commerce:read'],
  },
  analytics_pii: {
    allows: 'Bundle: analytics, and persons as well. Never on healthcare profiles.',
    implies: ['analytics', 'customers:read', 'visitors:read'],
  },
  connections: {
    allows: 'Bundle: read and manage connections.',
    implies: ['connections:read', 'connections:write'],
  },
  // Keys of this older grant keep working on the connect rail while they are swapped (SPEC 5.3).
  attribution_write: {
    allows: 'Older bundle: send events and manage connections.',
    implies: ['attribution:write', 'connections:read', 'connections:write'],
  },
} as const satisfies Record<string, { allows: string; implies: readonly string[] }>

export type Scope = keyof typeof scopeTable

export const scopes = Object.keys(scopeTable) as Scope[]

export const isScope = (value: string): value is Scope => Object.hasOwn(scopeTable, value)

/** Everything a credential may do: its scopes and all that they imply. Unknown scopes grant nothing. */
export function expandScopes(granted: readonly string[]): ReadonlySet<Scope> {
  const held = new Set<Scope>()
  const open = granted.filter(isScope)
  for (let scope = open.pop(); scope; scope = open.pop()) {
    if (held.has(scope)) continue
    held.add(scope)
    open.push(...scopeTable[scope].implies)
  }
  return held
}

const personal = ['customers:read', 'visitors:read', 'analytics_pii'] as const satisfies readonly Scope[]

/** Opens reads of single persons: given explicitly, and never to a partner on a healthcare profile (SPEC 5.5). */
export const isPersonal = (scope: Scope): boolean => (personal as readonly Scope[]).includes(scope)

/** The same without persons: of `analytics_pii` the `analytics` stay. */
export const withoutPersons = (held: readonly Scope[]): Scope[] => [
  ...new Set(
    held.flatMap((scope): Scope[] => (scope === 'analytics_pii' ? ['analytics'] : isPersonal(scope) ? [] : [scope])),
  ),
]

/** Held by the app or the person itself, so that no grant on a profile carries them. */
export const isAdministrative = (scope: Scope): boolean => scope === 'workspaces:write' || scope === 'profiles:write'

/** Those asked for that the grant does not cover; a bundle is covered when all its parts are. */
export function beyond(asked: readonly Scope[], granted: readonly string[]): Scope[] {
  const covered = expandScopes(granted)
  const isCovered = (scope: Scope): boolean =>
    covered.has(scope) || (!scope.includes(':') && scopeTable[scope].implies.every(isCovered))
  return asked.filter((scope) => !isCovered(scope))
}
