import type { z } from 'zod'
import { ApiError } from '../http/errors.ts'

/** `events[3].properties.value`: a field by the name that its sender knows it by. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`)).join('') ||
  'body'

export const describeIssue = (issue: { path: readonly PropertyKey[]; message: string }): string =>
  `${fieldOf(issue.path)}: ${issue.message}`

export function validationError(error: z.ZodError): ApiError {
  const [first] = error.issues
  const fields = error.issues.slice(0, 20).map(({ path, message }) => ({ field: fieldOf(path), message }))
  return new ApiError('validation_error', first && describeIssue(first), { fields })
}
