/** The parts of an OpenAPI 3.1 document that types are made of. */
export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>
  components?: { schemas?: Record<string, Schema> }
}

interface DescribedOperation {
  operationId: string
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; description?: string }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
  'x-idempotency'?: { mode: string; header?: string }
}

interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

const banner =
  '// Written by "npm run client" from the API\'s own description. Do not edit: change the operation, then run it again.'

/** TypeScript for every schema and operation of a description, in its order. */
export function typesOf(description: Description): string {
  const schemas = Object.entries(description.components?.schemas ?? {})
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return [
    banner,
    '',
    ...schemas.map(
      ([name, schema]) => `${comment(schema.description, '')}export type ${typeName(name)} = ${type(schema, '')}\n`,
    ),
    '/** What each operation takes and answers with. */',
    'export interface Operations {',
    ...operations.map(({ operation }) => operationType(operation)),
    '}',
    '',
    '/** How each operation is called. */',
    'export const operations = {',
    ...operations.map(
      ({ path, method, operation }) =>
        `  ${operation.operationId}: { method: '${method}', path: '${path}', idempotency: '${idempotencyOf(operation)}' },`,
    ),
    '} as const',
    '',
  ].join('\n')
}

function idempotencyOf({ 'x-idempotency': idempotency }: DescribedOperation): string {
  const { mode = 'none', header } = idempotency ?? {}
  return mode === 'natural' && header ? 'natural or header' : mode
}

function operationType(operation: DescribedOperation): string {
  const inside = (place: string) => (operation.parameters ?? []).filter((parameter) => parameter.in === place)
  const parameters = (place: string) => {
    const fields = inside(place).map(({ name, required, schema = {}, description }) =>
      field(name, schema, required ?? false, '      ', description),
    )
    return fields.length > 0 ? `{\n${fields.join('\n')}\n    }` : undefined
  }
  const isOptional = !inside('query').some(({ required }) => required)
  const body = operation.requestBody?.content['application/json']?.schema
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = success?.content?.['application/json']?.schema
  const [path, query] = [parameters('path'), parameters('query')]
  return [
    `${comment(operation.summary, '  ')}  ${operation.operationId}: {`,
    ...(path ? [`    path: ${path}`] : []),
    ...(query ? [`    query${isOptional ? '?' : ''}: ${query}`] : []),
    ...(body ? [`    body: ${type(body, '    ')}`] : []),
    `    answer: ${answer ? type(answer, '    ') : 'unknown'}`,
    '  }',
  ].join('\n')
}

function type(schema: Schema, indent: string): string {
  if (schema.$ref) return typeName(schema.$ref.split('/').at(-1)!)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return union(alternatives.map((one) => type(one, indent)))
  if (schema.allOf) return schema.allOf.map((one) => bracketed(type(one, indent))).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ ...schema, type: one }, indent)))
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      if (schema.prefixItems) return `[${schema.prefixItems.map((one) => type(one, indent)).join(', ')}]`
      return `${bracketed(type(schema.items ?? {}, indent))}[]`
    case 'object':
      return objectType(schema, indent)
    default:
      return schema.properties ? objectType(schema, indent) : 'unknown'
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, schema, required.includes(name), `${indent}  `, schema.description),
  )
  const rest = typeof additionalProperties === 'object' ? type(additionalProperties, `${indent}  `) : 'unknown'
  if (fields.length === 0) return `Record<string, ${rest}>`
  const open = additionalProperties && Object.keys(additionalProperties).length === 0
  return `{\n${[...fields, ...(open ? [`${indent}  [field: string]: unknown`] : [])].join('\n')}\n${indent}}`
}

const field = (name: string, schema: Schema, isRequired: boolean, indent: string, description?: string) =>
  `${comment(description, indent)}${indent}${propertyName(name)}${isRequired ? '' : '?'}: ${type(schema, indent)}`

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
const typeName = (name: string) => name.replace(/\W/g, '_')
const union = (types: string[]) => [...new Set(types)].join(' | ') || 'never'
const bracketed = (text: string) => (/[|&]/.test(text) ? `(${text})` : text)
const comment = (text: string | undefined, indent: string) =>
  text ? `${indent}/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/')} */\n` : ''
