import { expect, it } from 'vitest'
import { expandScopes, scopes } from '../../domain/scopes.ts'

it.each([
  [['mcp:write'], ['mcp:write', 'profiles:write', 'workspaces:write']],
  [['mcp:read'], ['mcp:read']],
  [['connections'], ['connections', 'connections:read', 'connections:write']],
  [['attribution_write'], ['attribution:write', 'attribution_write', 'connections:read', 'connections:write']],
  [['customers:read'], ['customers:read']],
  [['nothing:known', 'customers:read'], ['customers:read']],
  [[], []],
])('%j allows %j', (granted, held) => {
  expect([...expandScopes(granted)].sort()).toEqual(held)
})

it('follows bundles through bundles', () => {
  expect(expandScopes(['analytics_pii'])).toContain('campaigns:read')
  expect(expandScopes(['analytics'])).not.toContain('customers:read')
})

it('knows every scope by its own name', () => {
  for (const scope of scopes) expect(expandScopes([scope])).toContain(scope)
})
