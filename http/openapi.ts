import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { scopeTable } from '../domain/scopes.ts'
import type { ErrorCode } from './errors.ts'
import { exampleOf, refusalOf, type Schema, type Schemas } from './examples.ts'
import { cookieName } from './session-cookies.ts'

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
