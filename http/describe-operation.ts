import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { isPersonal } from '../domain/scopes.ts'
import { catalogue, type ErrorCode, ErrorEnvelope } from './errors.ts'
import type { Operation } from './operation.ts'

/** Codes that any operation of its kind can answer with. */
function errorsOf(operation: Operation<never>): ErrorCode[] {
  const codes = new Set<ErrorCode>(['internal_error', 'service_unavailable', ...operation.errors])
  codes.add('invalid_request')
  if (operation.query) codes.add(operation.onInvalid.query ?? 'invalid_parameter')
  if (operation.params) codes.add(operation.onInvalid.params ?? 'invalid_parameter')
  if (operation.body) codes.add(operation.onInvalid.body ?? 'validation_error').add('payload_too_large')
  if (!operation.isPublic) codes.add('unauthorized').add('rate_limit_exceeded').add('forbidden')
  if (operation.scopes.length > 0) codes.add('insufficient_scope')
  if (operation.scopes.length > 0 && operation.grain !== 'caller') codes.add('not_found')
  if (operation.needsEntitlement) codes.add('entitlement_required')
  if (operation.scopes.length > 0 && operation.scopes.every(isPersonal)) codes.add(operation.onHealthcare)
  if (operation.idempotency.endsWith('header')) codes.add('idempotency_key_conflict').add('idempotency_key_in_flight')
  if (operation.auth.length === 1 && operation.auth[0] === 'api_key') codes.add('api_key_required')
  if (operation.query && 'shape' in operation.query && Object.hasOwn(operation.query.shape as object, 'date_from')) {
    codes.add('invalid_date_range')
  }
  return [...codes]
}

const IdempotencyKey = {
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .regex(/^[ -~]+$/)
    .meta({
      description:
        'A text of your choice that names this request. The same request with the same key is answered as the first one was, for 24 hours.',
      examples: ['refund-2026-03-31-0017'],
    }),
}

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })

/** The operation as the description shows it, with the extension families of docs/api-description.md. */
export function describeOperation(operation: Operation<never>): FastifySchema {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => catalogue[code].status)
  const failures = [...byStatus].map(([status, codes]) => [
    status,
    { description: codes.map((code) => `\`${code}\`: ${catalogue[code].meaning}`).join(' '), ...json(ErrorEnvelope) },
  ])
  const files = Object.entries(operation.files).map(([type, description]) => [
    type,
    { schema: z.string().meta({ description }) },
  ])
  const successes = operation.statuses.map((status) => [
    status,
    {
      description: status === 201 ? 'Created.' : status === 202 ? 'Accepted.' : 'Done.',
      content: { ...json(operation.envelope).content, ...Object.fromEntries(files) },
    },
  ])
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [...operation.tags],
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(operation.params ? { params: operation.params } : {}),
    ...(operation.query ? { querystring: operation.query } : {}),
    ...(operation.body ? { body: operation.body } : {}),
    ...headersOf(operation),
    response: Object.fromEntries([...successes, ...failures]),
    security: securityOf(operation),
    'x-scopes': { any_of: [...operation.scopes] },
    'x-auth': { public: operation.isPublic, credentials: [...operation.auth], rate_limit_class: operation.rateLimit },
    'x-idempotency': operation.idempotency.endsWith('header')
      ? {
          mode: operation.idempotency === 'natural or header' ? 'natural' : 'header',
          header: 'Idempotency-Key',
          required: operation.idempotency === 'header',
          replay_hours: 24,
        }
      : { mode: operation.method === 'GET' ? 'natural' : operation.idempotency },
    'x-scope-grain': { level: operation.grain, person_level: operation.readsPersons },
  } as FastifySchema
}

/** Each alternative is enough; what is no session comes in the Authorization header. */
function securityOf({ auth }: Operation<never>): Record<string, string[]>[] {
  const bearer = auth.some((kind) => kind !== 'session') ? [{ bearer: [] }] : []
  return auth.includes('session') ? [...bearer, { session: [] }] : bearer
}

/** Callers that are not bound to a profile name theirs in a header where the path has no place for it. */
const ProfileHeader = {
  'x-profile-id': z
    .uuid()
    .optional()
    .meta({ description: 'The profile that is meant. An API key has its own; every other credential names one.' }),
}

const namesProfile = ({ grain, scopes, params, auth }: Operation<never>): boolean =>
  grain === 'profile' &&
  scopes.length > 0 &&
  auth.some((kind) => kind !== 'api_key') &&
  !(params && 'shape' in params && Object.hasOwn(params.shape as object, 'profileId'))

function headersOf(operation: Operation<never>): { headers?: z.ZodType } {
  const headers = {
    ...(namesProfile(operation) ? ProfileHeader : {}),
    ...(operation.idempotency === 'header' ? IdempotencyKey : {}),
    ...(operation.idempotency.endsWith(' header')
      ? { 'idempotency-key': IdempotencyKey['idempotency-key'].optional() }
      : {}),
  }
  return Object.keys(headers).length > 0 ? { headers: z.object(headers) } : {}
}
