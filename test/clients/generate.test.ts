import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { generatedFile, generateTypes } from '../../clients/generate.ts'
import { typesOf } from '../../clients/openapi-types.ts'

it('the client’s types are those of the API: "npm run client" writes them', async () => {
  // Compared as one verdict: the file is too long to be shown in a difference.
  const isCurrent = readFileSync(generatedFile, 'utf8') === (await generateTypes())
  expect({ isCurrent }).toEqual({ isCurrent: true })
})

it('writes what schemas say', () => {
  const text = typesOf({
    components: {
      schemas: {
        Thing: {
          type: 'object',
          description: 'A thing.',
          properties: {
            id: { type: 'string', description: 'Its id */ and more.' },
            kind: { enum: ['a', 'b'] },
            'odd-name': { anyOf: [{ type: 'integer' }, { type: 'null' }] },
            list: { type: 'array', items: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } },
            map: { type: 'object', additionalProperties: { type: 'number' } },
            any: {},
          },
          required: ['id'],
        },
        Other: { const: true },
      },
    },
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'readThing',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'limit', in: 'query', schema: { type: 'integer' } },
          ],
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
        },
        put: {
          operationId: 'saveThing',
          responses: {},
          'x-idempotency': { mode: 'natural', header: 'Idempotency-Key' },
        },
      },
    },
  })
  expect(text).toContain(`/** A thing. */
export type Thing = {
  /** Its id *\\/ and more. */
  id: string
  kind?: "a" | "b"
  "odd-name"?: number | null
  list?: (Other | null)[]
  map?: Record<string, number>
  any?: unknown
}`)
  expect(text).toContain(`  readThing: {
    path: {
      id: string
    }
    query?: {
      limit?: number
    }
    answer: Thing
  }`)
  expect(text).toContain(`  readThing: { method: 'GET', path: '/things/{id}', idempotency: 'none' },`)
  expect(text).toContain(`  saveThing: { method: 'PUT', path: '/things/{id}', idempotency: 'natural or header' },`)
})
