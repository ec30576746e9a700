import { expect, it } from 'vitest'
import { isHealthcare, scopesOn } from '../../domain/credentials.ts'
import { mayGovern, type Role, scopesOfMcpToken, scopesOfRole } from '../../domain/roles.ts'
import { beyond, expandScopes, type Scope, scopes, withoutPersons } from '../../domain/scopes.ts'

it.each<[Role, Scope, boolean]>([
  ['owner', 'campaigns:apply', true],
  ['admin', 'workspaces:write', true],
  ['member', 'campaigns:read', true],
  ['member', 'customers:read', true],
  ['member', 'attribution:write', false],
  ['member', 'campaigns:apply', false],
  ['member', 'mcp:write', false],
  ['member', 'connections', false],
])('%s holds %s: %s', (role, scope, isHeld) => {
  expect(scopesOfRole(role).has(scope)).toBe(isHeld)
})

it.each<[Role | null, Role[], boolean]>([
  ['owner', ['owner', 'owner'], true],
  ['admin', ['member', 'admin'], true],
  ['admin', ['member', 'owner'], false],
  ['member', ['member'], false],
  [null, [], false],
])('%s governs %j: %s', (role, concerned, may) => {
  expect(mayGovern(role, ...concerned)).toBe(may)
})

it('lets an MCP token read without persons, unless it was given them', () => {
  const byDefault = scopesOfMcpToken(['mcp:read'])
  expect(byDefault).toContain('campaigns:read')
  for (const scope of ['customers:read', 'visitors:read', 'analytics_pii', 'goals:write', 'profiles:write'] as const) {
    expect(byDefault).not.toContain(scope)
  }
  expect(scopesOfMcpToken(['mcp:read', 'customers:read'])).toContain('customers:read')
  expect(scopesOfMcpToken(['mcp:write'])).toContain('workspaces:write')
})

it.each([
  [{ privacyMode: 'standard', isHealthcareAgency: false }, false],
  [{ privacyMode: 'standard', isHealthcareAgency: true }, true],
  [{ privacyMode: 'platform_safe', isHealthcareAgency: false }, true],
  [{ privacyMode: 'hipaa', isHealthcareAgency: false }, true],
  // SPEC 5.5: what cannot be read counts as healthcare.
  [{ privacyMode: 'standard' }, true],
  [{ privacyMode: null, isHealthcareAgency: false }, true],
  [{ privacyMode: 'STANDARD', isHealthcareAgency: false }, true],
  [{}, true],
])('%j is healthcare: %s', (status, is) => {
  expect(isHealthcare(status)).toBe(is)
})

it('strips persons from everybody but people at the console, on healthcare profiles alone', () => {
  const held = expandScopes(['analytics_pii', 'goals:write'])
  for (const kind of ['api_key', 'app', 'mcp'] as const) {
    const left = scopesOn({ isHealthcare: true }, { kind }, held)
    expect([...left].toSorted()).toEqual([...expandScopes(['analytics', 'goals:write'])].toSorted())
    expect(scopesOn({ isHealthcare: false }, { kind }, held)).toEqual(held)
  }
  expect(scopesOn({ isHealthcare: true }, { kind: 'session' }, held)).toEqual(held)
})

it('leaves of every scope what is without persons', () => {
  expect(
    withoutPersons(scopes).some((scope) => ['customers:read', 'visitors:read', 'analytics_pii'].includes(scope)),
  ).toBe(false)
  expect(withoutPersons(['analytics_pii', 'analytics', 'customers:read'])).toEqual(['analytics'])
})

it.each<[Scope[], string[], Scope[]]>([
  [['campaigns:read'], ['analytics'], []],
  [['analytics'], ['analytics:read', 'campaigns:read', 'conversions:read', 'commerce:read'], []],
  [['analytics'], ['analytics:read'], ['analytics']],
  [['connections'], ['connections:read', 'connections:write'], []],
  [['mcp:write'], ['workspaces:write', 'profiles:write'], ['mcp:write']],
  [['customers:read', 'goals:write'], ['analytics_pii'], ['goals:write']],
  [['attribution:write'], ['attribution_write'], []],
])('%j under the grant %j lacks %j', (asked, granted, missing) => {
  expect(beyond(asked, granted)).toEqual(missing)
})
