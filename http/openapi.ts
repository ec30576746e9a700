import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { scopeTable } from '../domain/scopes.ts'
import { catalogue, type ErrorCode, ErrorEnvelope } from './errors.ts'
import type { Operation } from './operation.ts'

/** Codes that any operation of its kind can answer with. */
function errorsOf(operation: Operation<never>): ErrorCode[] {
  const codes = new Set<ErrorCode>(['internal_error', 'service_unavailable', ...operation.errors])
  codes.add('invalid_request')
  if (operation.query) codes.add(operation.onInvalid.query ?? 'invalid_parameter')
  if (operation.params) codes.add(operation.onInvalid.params ?? 'invalid_parameter')
  if (operation.body) codes.add(operation.onInvalid.body ?? 'validation_error').add('payload_too_large')
  if (!operation.isPublic) codes.add('unauthorized').add('insufficient_scope').add('rate_limit_exceeded')
  if (operation.idempotency === 'header') codes.add('idempotency_key_conflict').add('idempotency_key_in_flight')
  if (operation.auth.length === 1 && operation.auth[0] === 'api_key') codes.add('api_key_required')
  if (operation.query && 'shape' in operation.query && Object.hasOwn(operation.query.shape as object, 'date_from')) {
    codes.add('invalid_date_range')
  }
  return [...codes]
}

const IdempotencyKey = z.object({
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
})

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })

/** The operation as the description shows it, with the extension families of docs/api-description.md. */
export function describeOperation(operation: Operation<never>): FastifySchema {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => catalogue[code].status)
  const failures = [...byStatus].map(([status, codes]) => [
    status,
    { description: codes.map((code) => `\`${code}\`: ${catalogue[code].meaning}`).join(' '), ...json(ErrorEnvelope) },
  ])
  const successes = operation.statuses.map((status) => [
    status,
    { description: status === 201 ? 'Created.' : status === 202 ? 'Accepted.' : 'Done.', ...json(operation.envelope) },
  ])
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [...operation.tags],
    ...(operation.isDeprecated ? { deprecated: true } : {}),
    ...(operation.params ? { params: operation.params } : {}),
    ...(operation.query ? { querystring: operation.query } : {}),
    ...(operation.body ? { body: operation.body } : {}),
    ...(operation.idempotency === 'header' ? { headers: IdempotencyKey } : {}),
    response: Object.fromEntries([...successes, ...failures]),
    security: operation.isPublic ? [] : [{ bearer: [] }],
    'x-scopes': { any_of: [...operation.scopes] },
    'x-auth': { public: operation.isPublic, credentials: [...operation.auth], rate_limit_class: operation.rateLimit },
    'x-idempotency':
      operation.idempotency === 'header'
        ? { mode: 'header', header: 'Idempotency-Key', replay_hours: 24 }
        : { mode: operation.method === 'GET' ? 'natural' : operation.idempotency },
    'x-scope-grain': { level: operation.grain, person_level: operation.readsPersons },
  } as FastifySchema
}

export interface ApiInfo {
  version: string
  baseUrl: string
  apiUrl: string
}

const overview = `Marketing attribution and customer journeys.

Send \`Authorization: Bearer <API key>\`. A success is \`{data, meta}\`, a list has \`pagination\` as well, a refusal is
\`{error}\`; callers branch on \`error.code\`.

[Error codes](/docs/errors) · [Scopes](/docs/scopes) · [Change log](/docs/changelog)`

export async function publishDescription(app: FastifyInstance, { version, baseUrl, apiUrl }: ApiInfo) {
  await app.register(swagger, {
    hideUntagged: true,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Touchline API',
        version,
        description: overview,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [...new Set([baseUrl, apiUrl])].map((url) => ({ url })),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: `An API key. Scopes: ${Object.keys(scopeTable).join(', ')}.`,
          },
        },
      },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig: { target: 'draft-2020-12' } }) as never,
    transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document)),
  })
}

/** Every named schema comes in a form for requests and one for responses; only those that are used stay. */
function withoutUnused(described: ReturnType<SwaggerTransformObject>): ReturnType<SwaggerTransformObject> {
  const document = described as { components?: { schemas?: Record<string, unknown> } }
  const schemas = { ...document.components?.schemas }
  for (let isDone = false; !isDone; ) {
    const text = JSON.stringify({ ...document, components: { ...document.components, schemas } })
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    for (const name of unused) delete schemas[name]
    isDone = unused.length === 0
  }
  return { ...document, components: { ...document.components, schemas } } as ReturnType<SwaggerTransformObject>
}
