/** The description as far as a caller needs it to try every operation. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minLength?: number
  minimum?: number
}

export interface Described {
  operationId: string
  parameters?: {
    name: string
    in: 'path' | 'query' | 'header'
    required?: boolean
    example?: unknown
    schema: Schema
  }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  'x-auth': { public: boolean; credentials: string[] }
  'x-scope-grain': { level: string }
}

export interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export interface Target {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  described: Described
}

type Parameter = NonNullable<Described['parameters']>[number]

const withExample = (parameter: Parameter): Parameter =>
  parameter.example === undefined
    ? parameter
    : { ...parameter, schema: { ...parameter.schema, example: parameter.example } }

export const targetsOf = (document: Document): Target[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase() as Target['method'],
      path,
      // A parameter's example stands beside its schema.
      described: { ...described, parameters: (described.parameters ?? []).map(withExample) },
    })),
  )

/** A value for a named field: what is known of that name, else what the description gives as an example. */
export type Known = (name: string) => unknown

/** The least that a schema takes, from its examples where it has some. */
export function sampleOf(document: Document, schema: Schema, known: Known, name = ''): unknown {
  const from = (inner: Schema, as = name) => sampleOf(document, inner, known, as)
  const value = known(name)
  if (value !== undefined) return schema.type === 'array' ? [value].flat() : value
  if (schema.$ref) return from(document.components.schemas[schema.$ref.split('/').at(-1)!]!)
  if (schema.examples?.length) return schema.examples[0]
  for (const given of [schema.example, schema.default, schema.const, schema.enum?.[0]]) {
    if (given !== undefined) return given
  }
  const [choice] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter((one) => one.type !== 'null')
  if (choice) return from(choice)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => from(part)))
  switch ([schema.type ?? (schema.properties ? 'object' : 'string')].flat().find((type) => type !== 'null')) {
    case 'object': {
      const required = (schema.required ?? []).map((field) => [field, from(schema.properties![field]!, field)])
      return Object.fromEntries(required)
    }
    case 'array':
      return schema.minItems === 0 || !schema.items ? [] : [from(schema.items)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return textOf(schema)
  }
}

function textOf({ format, minLength = 1 }: Schema): string {
  const now = new Date().toISOString()
  if (format === 'date') return now.slice(0, 10)
  if (format === 'date-time') return now
  if (format === 'email') return 'sample@example.com'
  if (format === 'uuid') return '3f0f2c2e-8d2b-4b46-9a52-0d3b0c8f2a11'
  if (format === 'uri') return 'https://shop.example/'
  return 'sample'.padEnd(minLength, 'x')
}
