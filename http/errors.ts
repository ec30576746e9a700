import { z } from 'zod'
import { catalogue, type ErrorCode, errorCodes } from './error-catalogue.ts'

export { catalogue, type ErrorCode, errorCodes } from './error-catalogue.ts'

/** What an error may say beside its code and message; `retry_after` (seconds) becomes the Retry-After header. */
export interface ErrorExtras {
  reason?: string
  required_scopes?: string[]
  retry_after?: number
  reconnect_required?: boolean
  reconnect_url?: string
  [field: string]: unknown
}

interface ErrorOptionsOfApi {
  cause?: unknown
  /** Only where the spec gives one code a second status. */
  status?: number
  headers?: Record<string, string>
}

/** How long a caller waits where a limit does not say better. */
const windowSeconds = 60

/** A refusal that the caller is meant to read. Its message goes out as it is, so it never holds personal data. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly extras: ErrorExtras
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message?: string, extras: ErrorExtras = {}, options: ErrorOptionsOfApi = {}) {
    super(message ?? catalogue[code].meaning, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? catalogue[code].status
    this.extras = extras
    this.headers = { ...options.headers }
    // Whoever is told to come back is told when, whoever refuses them.
    const retryAfter = extras.retry_after ?? (this.status === 429 ? windowSeconds : undefined)
    if (retryAfter !== undefined) this.headers['retry-after'] = String(Math.ceil(retryAfter))
    if (this.status === 429 && retryAfter !== undefined) {
      this.headers['x-ratelimit-reset'] ??= String(Math.ceil(Date.now() / 1000 + retryAfter))
    }
  }
}

/** A refusal of one field, told as the checks of a schema tell theirs. */
export const fieldError = (code: ErrorCode, field: string, message: string): ApiError =>
  new ApiError(code, `${field}: ${message}`, { fields: [{ field, message }] })

/** The error body as the description publishes it: the fixed fields, and room for the extras of a code. */
export const ErrorEnvelope = z
  .object({
    error: z.looseObject({
      code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      status: z.int().min(400).max(599),
      request_id: z.string(),
      docs_url: z.url(),
      reason: z.string().optional(),
      required_scopes: z.array(z.string()).optional(),
      retry_after: z.number().optional(),
      reconnect_required: z.boolean().optional(),
      reconnect_url: z.string().optional(),
    }),
  })
  .meta({ id: 'Error', description: 'What every refusal looks like; callers branch on error.code.' })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

export const docsUrl = (baseUrl: string, code: ErrorCode) => `${baseUrl}/docs/errors/${code}`

export function errorEnvelope(error: ApiError, requestId: string, baseUrl: string): ErrorEnvelope {
  return {
    error: {
      ...error.extras,
      code: error.code,
      message: error.message,
      status: error.status,
      request_id: requestId,
      docs_url: docsUrl(baseUrl, error.code),
    },
  }
}
