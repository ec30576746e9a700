import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { buildApp, mount } from '../../http/app.ts'
import { unauthorized } from '../../http/authenticate.ts'
import { operations as ingestOperations } from '../../ingest/operations.ts'
import {
  customerOperations,
  hookOperations,
  identityOperations,
  operations,
  sessionOperations,
} from '../../query-api/operations/index.ts'
import { trackingOperations } from '../../query-api/operations/tracking/index.ts'
import { baseUrl, captureLog } from '../http/test-app.ts'

const declaredLists = [
  operations,
  customerOperations,
  hookOperations,
  identityOperations,
  sessionOperations,
  trackingOperations,
  ingestOperations,
]

// Nothing is called here but the description and doors without a key, so no operation needs its engines.
const app = await buildApp({
  baseUrl,
  apiUrl: 'https://api.touchline.example',
  logger: captureLog().logger,
  authenticate: () => Promise.reject(unauthorized()),
  mounts: declaredLists.map((each) => mount(each as never, {} as never, [])),
})
const description = (await app.inject({ url: '/api/v1/openapi.json' })).json()
const described = Object.entries<Record<string, Described>>(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

interface DescribedAnswer {
  schema: { properties?: object; $ref?: string }
  example?: unknown
  examples?: Record<string, { value: { error: object } }>
}

interface Described {
  'x-auth': { public: boolean }
  operationId: string
  summary: string
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, { description: string; content: Record<string, DescribedAnswer> }>
}

it('describes every operation in a document that is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(description))).toMatchObject({ valid: true })
  const declared = declaredLists.flatMap((list) => list.map(({ id }) => id))
  expect(described.map(({ operation }) => operation.operationId).sort()).toEqual(declared.sort())
})

it('asks for no body where one may be left out', () => {
  const rotate = description.paths['/api/v1/profiles/{profileId}/keys/{keyId}/rotate'].post
  expect(rotate.requestBody.required).toBe(false)
  expect(description.paths['/api/v1/profiles'].post.requestBody.required).toBe(true)
})

it('names both hosts', () => {
  expect(description.servers).toEqual([{ url: baseUrl }, { url: 'https://api.touchline.example' }])
})

it('names every parameter of a path', () => {
  for (const { path, operation } of described) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const known = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(known, path).toEqual(inPath)
  }
})

it('shows what a success holds, and the one shape of a refusal', () => {
  for (const { path, method, operation } of described) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schema = content['application/json']!.schema
      if (status >= '400') expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
      else
        expect(Object.keys(schema.properties ?? {}), `${method} ${path}`).toEqual(
          expect.arrayContaining(['data', 'meta']),
        )
    }
  }
})

it('shows an example of every body and every answer, and each refusal by its code', () => {
  for (const { path, method, operation } of described) {
    const where = `${method} ${path}`
    const body = operation.requestBody?.content['application/json']
    if (body) expect(body.example, where).toBeTypeOf('object')
    for (const [status, { content, description }] of Object.entries(operation.responses)) {
      const { example, examples = {} } = content['application/json']!
      if (status < '400') expect(example, where).toMatchObject({ data: expect.anything(), meta: expect.any(Object) })
      else
        for (const [code, { value }] of Object.entries(examples)) {
          expect(description, where).toContain(`\`${code}\``)
          expect(value.error, where).toMatchObject({ code, status: Number(status) })
        }
      if (status >= '400') expect(Object.keys(examples), `${where} ${status}`).not.toEqual([])
    }
  }
})

it('opens no operation to a caller without a credential', async () => {
  for (const { path, method, operation } of described) {
    if (operation['x-auth'].public) continue
    const url = path.replace(/\{\w+\}/g, '7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57')
    const response = await app.inject({ method: method.toUpperCase() as 'GET', url })
    expect(response.statusCode, `${method} ${path}`).toBe(401)
  }
})

it('answers alike on both hosts', async () => {
  for (const { path, method } of described) {
    const url = path.replace(/\{\w+\}/g, '7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57')
    const [first, second] = await Promise.all(
      ['touchline.example', 'api.touchline.example'].map((host) =>
        app.inject({ method: method.toUpperCase() as 'GET', url, headers: { host, 'x-request-id': 'the-same-one' } }),
      ),
    )
    expect([second!.statusCode, second!.body], `${method} ${path}`).toEqual([first!.statusCode, first!.body])
  }
})
