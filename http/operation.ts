import type { IncomingHttpHeaders } from 'node:http'
import type pg from 'pg'
import type { z } from 'zod'
import {
  type Credential,
  type CredentialKind,
  credentialKinds,
  type Profile,
  type Workspace,
} from '../domain/credentials.ts'
import type { Scope } from '../domain/scopes.ts'
import type { Deprecation } from './deprecation.ts'
import {
  envelopeSchema,
  type File,
  type MetaProfile,
  type NoShape,
  type ResponseSpec,
  type Result,
} from './envelope.ts'
import type { ErrorCode } from './errors.ts'
import type { RateLimitClass } from './rate-limit.ts'

export { File, one, page } from './envelope.ts'
export { ApiError, fieldError } from './errors.ts'
export { DateRange, Day, failsAs, Level, limit, longestSpanDays, Model, offset } from './parameters.ts'

/**
 * `natural`: the request's own key makes a repeat harmless; `header`: an Idempotency-Key does, and must be (or may be)
 * sent; `natural or header`: either does.
 */
export type Idempotency = 'none' | 'natural' | 'header' | 'optional header' | 'natural or header'

/**
 * Where the scope must be held: on a profile (the credential's own, or the one in `:profileId` or X-Profile-Id), on the
 * workspace in `:workspaceId`, or by the caller itself, where neither is named.
 */
export type Grain = 'profile' | 'workspace' | 'caller'

export interface RequestMeta {
  id: string
  receivedAt: Date
  /** Aborted when the caller is gone or has been answered. */
  signal: AbortSignal
  /** Whence it came, for limits alone: it is neither logged nor stored. */
  address: string
  method: string
  headers: IncomingHttpHeaders
  header(name: string): string | undefined
}

/** For the few answers that are not a plain 200. */
export interface ReplyMeta {
  status(code: number): void
  header(name: string, value: string): void
}

type Nothing = z.ZodObject<NoShape>

interface Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  request: RequestMeta
  reply: ReplyMeta
  /** How many persons the answer tells of, for the PII access log; where nobody says, its rows are counted. */
  persons(count: number): void
}

/** What a handler of an operation with an Idempotency-Key is given, to make its effect happen once. */
export interface Execution {
  /** The same at every attempt with this key: what an outside system is given to recognise a repeat by. */
  id: string
  /**
   * The transaction that also keeps the answer: what is written in it happens if, and only if, the answer is kept.
   * It begins when it is first asked for, under the profile's own rows; the frame commits it.
   */
  transaction(): Promise<pg.PoolClient>
}

/** With an Idempotency-Key the handler is told how to make its effect happen once. */
type Once<Mode extends Idempotency> = Mode extends `${string}header` ? { execution: Execution } : unknown

/** What the frame has settled about the call before the handler runs. */
type Settled<Where extends Grain> = { credential: Credential } & {
  profile: { profile: Profile }
  /** The profile is that of an API key; other callers name none here, nor below. */
  workspace: { workspace: Workspace; profile: Profile | undefined }
  caller: { profile: Profile | undefined }
}[Where]

interface Description<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends ResponseSpec,
  Mode extends Idempotency,
> {
  /** camelCase and unique: the operationId of the description. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /api/v1, parameters written as `:id`. */
  url: `/${string}`
  summary: string
  description?: string
  tags: readonly [string, ...string[]]
  /** Kinds of credential that are accepted; all of them by default. */
  auth?: readonly [CredentialKind, ...CredentialKind[]]
  /** Default `none`; a GET repeats harmlessly anyway. */
  idempotency?: Mode
  /**
   * A write on a profile waits until the app that provisioned it has switched attribution on (SPEC 5.6); `false` for what
   * must work before that. Reads never wait.
   */
  needsEntitlement?: boolean
  /** The answer can name or describe single persons, so that the read belongs in the PII access log. */
  readsPersons?: boolean
  /** What a partner hears on a healthcare profile where only a person-level scope opens; `healthcare_scope_forbidden`. */
  onHealthcare?: ErrorCode
  rateLimit?: RateLimitClass
  bodyLimitBytes?: number
  params?: Params
  query?: Query
  body?: Body
  /** The code of a failed check, where it is not the general one; single fields use `failsAs`. */
  onInvalid?: { params?: ErrorCode; query?: ErrorCode; body?: ErrorCode }
  response: Response
  /** Types of files that the handler can answer with instead of the envelope, and when it does. */
  files?: Readonly<Record<string, string>>
  /** 200 unless said otherwise; with several, the first is the default and `reply.status` picks another. */
  status?: number | readonly [number, ...number[]]
  /** Codes beyond the general ones that the handler answers with. */
  errors?: readonly ErrorCode[]
  deprecated?: Deprecation
}

type Handler<Context, Response> = (
  context: Context,
) => Promise<Result<NoInfer<Response>> | File> | Result<NoInfer<Response>> | File

export type Declaration<
  Deps,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends ResponseSpec,
  Mode extends Idempotency,
  Where extends Grain,
> = Description<Params, Query, Body, Response, Mode> &
  (
    | {
        /** Any one of them is enough. */
        scopes: readonly [Scope, ...Scope[]]
        grain?: Where
        public?: never
        ownAccount?: never
        handler: Handler<Input<Params, Query, Body> & Settled<Where> & Once<Mode> & Deps, Response>
      }
    | {
        /** A person at the console concerned with nothing but their own sign-in: a session, and no scope. */
        ownAccount: true
        scopes?: never
        grain?: never
        public?: never
        handler: Handler<Input<Params, Query, Body> & { credential: Credential } & Once<Mode> & Deps, Response>
      }
    | {
        public: true
        scopes?: never
        grain?: never
        ownAccount?: never
        handler: Handler<Input<Params, Query, Body> & Deps, Response>
      }
  )

export interface Operation<Deps> {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  summary: string
  description: string | undefined
  tags: readonly string[]
  scopes: readonly Scope[]
  isPublic: boolean
  auth: readonly CredentialKind[]
  idempotency: Idempotency
  grain: Grain
  isOwnAccount: boolean
  needsEntitlement: boolean
  readsPersons: boolean
  onHealthcare: ErrorCode
  rateLimit: RateLimitClass
  bodyLimitBytes: number | undefined
  params: z.ZodType | undefined
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  onInvalid: { params?: ErrorCode; query?: ErrorCode; body?: ErrorCode }
  response: ResponseSpec
  files: Readonly<Record<string, string>>
  envelope: z.ZodType
  statuses: readonly number[]
  errors: readonly ErrorCode[]
  deprecated: Deprecation | undefined
  handler: (context: Input<z.ZodType, z.ZodType, z.ZodType> & Partial<Settled<Grain>> & Deps) => unknown
}

/** Fixes what handlers of one folder are given: `export const operation = defineOperation<Deps>()`. */
export function defineOperation<Deps extends object>() {
  return function operation<
    Params extends z.ZodType = Nothing,
    Query extends z.ZodType = Nothing,
    Body extends z.ZodType = z.ZodUndefined,
    Response extends ResponseSpec = ResponseSpec,
    Mode extends Idempotency = 'none',
    Where extends Grain = 'profile',
  >(declaration: Declaration<Deps, Params, Query, Body, Response, Mode, Where>): Operation<Deps> {
    const { id, scopes = [], public: isPublic = false, ownAccount: isOwnAccount = false, status = 200 } = declaration
    const grain: Grain = declaration.grain ?? (isPublic || isOwnAccount ? 'caller' : 'profile')
    const metaProfile: MetaProfile = isPublic ? 'none' : grain === 'profile' ? 'own' : 'own or null'
    if (!isPublic && !isOwnAccount && scopes.length === 0) {
      throw new Error(`Operation ${id} needs a scope, or must say that it is public.`)
    }
    if (isPublic && declaration.idempotency?.endsWith('header')) {
      throw new Error(`Operation ${id} is public: without a caller an Idempotency-Key is nobody's.`)
    }
    return {
      id,
      method: declaration.method,
      url: declaration.url,
      summary: declaration.summary,
      description: declaration.description,
      tags: declaration.tags,
      scopes,
      isPublic,
      auth: isPublic ? [] : isOwnAccount ? ['session'] : (declaration.auth ?? credentialKinds),
      idempotency: declaration.idempotency ?? 'none',
      grain,
      isOwnAccount,
      needsEntitlement: grain === 'profile' && declaration.method !== 'GET' && (declaration.needsEntitlement ?? true),
      readsPersons: declaration.readsPersons ?? false,
      onHealthcare: declaration.onHealthcare ?? 'healthcare_scope_forbidden',
      rateLimit: declaration.rateLimit ?? 'default',
      bodyLimitBytes: declaration.bodyLimitBytes,
      params: declaration.params,
      query: declaration.query,
      body: declaration.body,
      onInvalid: declaration.onInvalid ?? {},
      response: declaration.response,
      files: declaration.files ?? {},
      envelope: envelopeSchema(declaration.response, metaProfile),
      statuses: typeof status === 'number' ? [status] : status,
      errors: declaration.errors ?? [],
      deprecated: declaration.deprecated,
      // The frame hands over exactly what the declaration's schemas have parsed.
      handler: declaration.handler as Operation<Deps>['handler'],
    }
  }
}
