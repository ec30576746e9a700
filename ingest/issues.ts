import type { z } from 'zod'
import { ApiError } from '../http/errors.ts'
import { fieldName } from '../http/validation.ts'

export const describeIssue = (issue: { path: readonly PropertyKey[]; message: string }): string =>
  `${fieldName(issue.path)}: ${issue.message}`

export function validationError(error: z.ZodError): ApiError {
  const [first] = error.issues
  const fields = error.issues.slice(0, 20).map(({ path, message }) => ({ field: fieldName(path), message }))
  return new ApiError('validation_error', first && describeIssue(first), { fields })
}
