import { z } from 'zod'
import { ApiError, type ErrorCode } from './errors.ts'
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
  if (part === 'query') refuseNul(value as Record<string, unknown>)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => ({ field: fieldName(issue), message: issue.message, issue }))
  const codeOf = (issue: z.core.$ZodIssue) => fieldCode(schema, issue) ?? operation.onInvalid[part] ?? general[part]
  const [first] = issues
  const code = first ? codeOf(first.issue) : general[part]
  const fields = issues.map(({ field, message }) => ({ field, message }))
  throw new ApiError(code, first && `${first.field}: ${first.message}`, { fields })
}

/** No engine of ours looks for a text with a NUL in it. In a body it is the handler's business, row by row. */
function refuseNul(query: Record<string, unknown>): void {
  const [field] = Object.entries(query).find(([, text]) => String(text).includes('\0')) ?? []
  if (field === undefined) return
  const message = 'must not contain NUL'
  throw new ApiError('invalid_parameter', `${field}: ${message}`, { fields: [{ field, message }] })
}

function fieldName(issue: z.core.$ZodIssue): string {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  if (path.length === 0) return 'body'
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at ? '.' : ''}${String(step)}`)).join('')
}

function fieldCode(schema: z.ZodType, issue: z.core.$ZodIssue): ErrorCode | undefined {
  const [name] = issue.path
  // A body that may be left out.
  if (schema instanceof z.ZodPrefault) return fieldCode(schema.unwrap() as z.ZodType, issue)
  if (!(schema instanceof z.ZodObject) || typeof name !== 'string') return undefined
  const field = schema.shape[name] as z.ZodType | undefined
  return field && fieldErrors.get(field)?.code
}
