import { type IdentifierType, identifierTypes } from '../schemas/messages.ts'
import { accept, type Checked, refuse } from './checked.ts'
import { normalise } from './identifiers.ts'
import { namesOf } from './sealed-person.ts'

export const importReasons = [
  'no_identifier',
  'invalid_email',
  'invalid_phone',
  'invalid_national_id',
  'malformed_row',
  'erased',
] as const
export type ImportReason = (typeof importReasons)[number]

export interface ImportedPerson {
  /** Strongest first. */
  identifiers: { type: IdentifierType; value: string }[]
  first_name: string | undefined
  last_name: string | undefined
}

/** One of these a row must carry: a caller's own id alone names nobody (SPEC 4.1). */
const sufficient = [
  { field: 'email', reason: 'invalid_email' },
  { field: 'phone', reason: 'invalid_phone' },
  { field: 'national_id', reason: 'invalid_national_id' },
] as const

const fieldOf: Partial<Record<IdentifierType, string>> = {
  external_customer_id: 'external_id',
  national_id: 'national_id',
  email: 'email',
  phone: 'phone',
}

/** A row of an import, or why it is none. One good identifier saves the row; the others are left out. */
export function readImportRow(row: unknown, country: string): Checked<ImportedPerson, ImportReason> {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return refuse('malformed_row')
  const sent = row as Record<string, unknown>
  const values = new Map<string, string>()
  for (const field of ['email', 'first_name', 'last_name', 'phone', 'national_id', 'external_id']) {
    const text = textOf(sent[field], !isWord.has(field))
    if (text === undefined) return refuse('malformed_row')
    if (text !== '') values.set(field, text)
  }
  const identifiers = identifierTypes.flatMap((type) => {
    const text = values.get(fieldOf[type] ?? '')
    const normalised = text === undefined ? undefined : normalise(type, text, { country })
    return normalised?.ok ? { type, value: normalised.value } : []
  })
  if (identifiers.every(({ type }) => type === 'external_customer_id')) {
    return refuse(sufficient.find(({ field }) => values.has(field))?.reason ?? 'no_identifier')
  }
  const { first_name, last_name } = namesOf({
    first_name: values.get('first_name'),
    last_name: values.get('last_name'),
  })
  return accept({ identifiers, first_name, last_name })
}

const isWord = new Set(['email', 'first_name', 'last_name'])

/** Nothing said is an empty text; ids are often written as numbers. */
function textOf(value: unknown, mayBeNumber: boolean): string | undefined {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.trim()
  return mayBeNumber && Number.isSafeInteger(value) ? String(value) : undefined
}
