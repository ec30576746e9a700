import type { IdentifierType } from '../schemas/messages.ts'

/** Enough of a value to know one's own data by, too little to learn it from. */
export function maskIdentifier(type: IdentifierType, value: string | null): string {
  if (value === null) return '(erased)'
  if (type === 'email') {
    const at = value.lastIndexOf('@')
    const dot = value.lastIndexOf('.')
    return `${value.slice(0, 1)}***@${value.slice(at + 1, at + 2)}***${dot > at ? value.slice(dot) : ''}`
  }
  if (type === 'phone') return `${value.slice(0, 3)}***${value.slice(-2)}`
  const name = value.match(/^[a-z0-9_-]{1,40}:/i)?.[0] ?? ''
  const rest = value.slice(name.length)
  return `${name}***${rest.length > 4 ? rest.slice(-2) : ''}`
}
