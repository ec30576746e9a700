import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { isPersonal, scopeTable } from '../domain/scopes.ts'
import { catalogue, type ErrorCode, ErrorEnvelope } from './errors.ts'
import { exampleOf, refusalOf, type Schema, type Schemas } from './examples.ts'
import type { Operation } from './operation.ts'
import { cookieName } from './session-cookies.ts'

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

export interface ApiInfo {
  version: string
  baseUrl: string
  apiUrl: string
}

const overview = `Marketing attribution and customer journeys.

Send \`Authorization: Bearer <API key>\`. Apps trade their client id and secret for a token at \`/oauth/token\`. A success is \`{data, meta}\`, a list has \`pagination\` as well, a refusal is
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
            description: `An API key, an MCP token, or an app's token from /oauth/token. Scopes: ${Object.keys(scopeTable).join(', ')}.`,
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: cookieName(baseUrl),
            description: 'A console session. Whatever changes something sends its csrf_token as X-CSRF-Token as well.',
          },
        },
      },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig: { target: 'draft-2020-12' } }) as never,
    transformObject: (document) =>
      withHeaders(withExamples(describedPlainly(jsonSchemaTransformObject(document)), baseUrl)),
  })
}

type Document = ReturnType<SwaggerTransformObject>

const describedPlainly = (document: Document): Document =>
  withOptionalBodies(withoutUnused(withoutLoneChoices(document)))

interface Content {
  content?: Record<string, { schema: Schema; example?: unknown; examples?: object }>
}

/** Every body and answer shows one: what its schema says, else made from it; every refusal shows each of its codes. */
function withExamples(described: Document, baseUrl: string): Document {
  const { paths, components } = described as {
    paths: Record<string, Record<string, { requestBody?: Content; responses: Record<string, Content> }>>
    components: { schemas: Schemas }
  }
  const show = (place: Content | undefined, use: 'request' | 'answer') => {
    const media = place?.content?.['application/json']
    if (media) media.example = exampleOf(media.schema, components.schemas, use)
  }
  for (const { requestBody, responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    show(requestBody, 'request')
    for (const [status, answer] of Object.entries(responses)) {
      if (status < '400') show(answer, 'answer')
      else showRefusals(answer as Content & { description: string }, baseUrl)
    }
  }
  return described
}

function showRefusals({ description, content }: Content & { description: string }, baseUrl: string): void {
  const codes = [...description.matchAll(/`(\w+)`: /g)].map(([, code]) => code as ErrorCode)
  const media = content?.['application/json']
  if (media) media.examples = Object.fromEntries(codes.map((code) => [code, refusalOf(code, baseUrl)]))
}

const header = (type: 'integer' | 'string', description: string) => ({ description, schema: { type } })
const limitHeaders = {
  'X-RateLimit-Limit': header('integer', 'Requests a minute that this credential has.'),
  'X-RateLimit-Remaining': header('integer', 'How many of them are left.'),
  'X-RateLimit-Reset': header('integer', 'When the count starts again, in epoch seconds.'),
}
const waitHeaders = { 'Retry-After': header('integer', 'Seconds to wait before trying again.') }
const replayHeaders = { 'Idempotent-Replay': header('string', '`true` when this is the answer to an earlier request.') }
const farewellHeaders = {
  Deprecation: header('string', 'Since when the operation is deprecated, as `@` and epoch seconds.'),
  Sunset: header('string', 'When it ends.'),
  Link: header('string', 'Its successor.'),
}

/** What stands in the head of answers beside what every HTTP answer has. */
function withHeaders(described: Document): Document {
  const { paths } = described as {
    paths: Record<string, Record<string, { deprecated?: boolean; responses: Record<string, { headers?: object }> }>>
  }
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const extensions = operation as { 'x-auth'?: { public: boolean }; 'x-idempotency'?: { header?: string } }
    for (const [status, answer] of Object.entries(operation.responses)) {
      const headers = {
        ...(extensions['x-auth']?.public === false && status !== '401' ? limitHeaders : {}),
        ...(status === '429' || status === '503' ? waitHeaders : {}),
        ...(extensions['x-idempotency']?.header && status < '500' ? replayHeaders : {}),
        ...(operation.deprecated ? farewellHeaders : {}),
      }
      if (Object.keys(headers).length > 0) answer.headers = headers
    }
  }
  return described
}

/** A body that has a default need not be sent; the generator calls every body required. */
function withOptionalBodies(described: Document): Document {
  const { paths } = described as {
    paths: Record<string, Record<string, { requestBody?: { required?: boolean; content: object } }>>
  }
  for (const { requestBody } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const [media] = Object.values(requestBody?.content ?? {}) as { schema?: { default?: unknown } }[]
    if (requestBody && media?.schema?.default !== undefined) requestBody.required = false
  }
  return described
}

/** "This or anything at all" is published as a choice of one; readers and linters want the one. */
const withoutLoneChoices = (document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_key, value) => {
    const { anyOf, ...rest } = (value ?? {}) as { anyOf?: unknown }
    return Array.isArray(anyOf) && anyOf.length === 1 ? { ...rest, ...anyOf[0] } : value
  })

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
