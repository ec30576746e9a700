import type { IdentifierType } from '../schemas/messages.ts'
import { providerPart } from './provider-name.ts'

/** Enough of a value to know one's own data by, too little to learn it from. */
export function maskIdentifier(type: IdentifierType, value: string | null): string {
  if (value === null) return '(erased)'
  if (type === 'email') {
    const at = value.lastIndexOf('@')
    const dot = value.lastIndexOf('.')
    return `${value.slice(0, 1)}***@${value.slice(at + 1, at + 2)}***${dot > at ? value.slice(dot) : ''}`
  }
  if (type === 'phone') return `${value.slice(0, 3)}***${value.slice(-2)}`
  const name = providerPart(value)
  const rest = value.slice(name.length)
  return `${name}***${rest.length > 4 ? rest.slice(-2) : ''}`
}
