import { z } from 'zod'
import { ApiError, type ErrorCode, fieldError } from './errors.ts'
import type { Operation } from './operation.ts'
import { fieldErrors } from './parameters.ts'

type Part = 'params' | 'query' | 'body'

const general: Record<Part, ErrorCode> = {
  params: 'invalid_parameter',
  query: 'invalid_parameter',
  body: 'validation_error',
}

/** Parses one part of a request; what fails answers with its field's own code, else its operation's, else its part's. */
export function check(operation: Operation<never>, part: Part, schema: z.ZodType, value: unknown): unknown {
  // An operation whose body is optional takes an empty one.
  if (part === 'body' && value === undefined) {
    const none = schema.safeParse(undefined)
    if (none.success) return none.data
  }
  if (part === 'body' && (value === null || typeof value !== 'object' || Array.isArray(value))) {
    throw new ApiError('invalid_request', 'The body must be one JSON object, sent as application/json.')
  }
  if (part === 'query') refuseNul(schema, value as Record<string, unknown>)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => ({
    field: fieldName(issue.path),
    message: messageOf(schema, issue),
    issue,
  }))
  const codeOf = (issue: z.core.$ZodIssue) => fieldCode(schema, issue) ?? operation.onInvalid[part] ?? general[part]
  const [first] = issues
  const code = first ? codeOf(first.issue) : general[part]
  const fields = issues.map(({ field, message }) => ({ field, message }))
  throw new ApiError(code, first && `${first.field}: ${first.message}`, { fields })
}

/** No engine of ours looks for a text with a NUL in it. In a body it is the handler's business, row by row. */
function refuseNul(schema: z.ZodType, query: Record<string, unknown>): void {
  const [name] = Object.entries(query).find(([, text]) => String(text).includes('\0')) ?? []
  if (name === undefined) return
  const field = knownFields(schema).includes(name) ? name : 'query'
  throw fieldError('invalid_parameter', field, 'must not contain NUL')
}

/** `events[3].properties.value`: a field by the name that its sender knows it by. */
export const fieldName = (path: readonly PropertyKey[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`)).join('') ||
  'body'

/** A name that the caller gave to a field may be a person's: it is not repeated, and those that there are stand instead. */
function messageOf(schema: z.ZodType, issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message
  const known = issue.path.length === 0 ? knownFields(schema) : []
  return known.length > 0 ? `has an unknown field; known are ${known.join(', ')}` : 'has an unknown field'
}

function knownFields(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodPrefault) return knownFields(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function fieldCode(schema: z.ZodType, issue: z.core.$ZodIssue): ErrorCode | undefined {
  const [name] = issue.path
  // A body that may be left out.
  if (schema instanceof z.ZodPrefault) return fieldCode(schema.unwrap() as z.ZodType, issue)
  if (!(schema instanceof z.ZodObject) || typeof name !== 'string') return undefined
  const field = schema.shape[name] as z.ZodType | undefined
  return field && fieldErrors.get(field)?.code
}
