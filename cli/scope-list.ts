import { InvalidArgumentError } from 'commander'
import { isScope, type Scope, scopes } from '../domain/scopes.ts'
import { list } from './with-postgres.ts'

/** A parser for commander: known scopes, separated by commas. */
export function knownScopes(text: string): Scope[] {
  const asked = list(text)
  const unknown = asked.filter((name) => !isScope(name))
  const known = `Known scopes: ${scopes.join(', ')}.`
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no scope ${unknown.join(', ')}. ${known}`)
  if (asked.length === 0) throw new InvalidArgumentError(`Name at least one. ${known}`)
  return [...new Set(asked.filter(isScope))]
}
