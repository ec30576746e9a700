import { ApiError, catalogue, docsUrl, type ErrorCode } from './errors.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  examples?: unknown[]
  minimum?: number
  minLength?: number
}

export type Schemas = Record<string, Schema>

/** What stands for a text of a format, or of a name where the format says nothing. */
const byFormat: Record<string, string> = {
  uuid: '7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57',
  date: '2026-03-31',
  'date-time': '2026-03-31T12:00:00.000Z',
  email: 'ana@example.com',
  uri: 'https://shop.example/',
}
const byName: Record<string, string> = {
  ad_name: 'Spring offer 2A',
  ad_set_name: 'Riders, 25 to 44',
  amount: '120.00',
  browser: 'Firefox',
  campaign: 'Spring sale',
  campaign_name: 'Spring sale',
  cash_revenue: '240.00',
  channel: 'paid_social',
  city: 'Santiago',
  conversion_type: 'payment_received',
  country: 'CL',
  currency: 'USD',
  current_password: 'the phrase of today',
  customer_key: 'customer-17',
  email: 'ana@example.com',
  event_name: 'payment_received',
  event_type: 'payment_received',
  external_id: '120210001',
  first_name: 'Ana',
  idempotency_key: 'order-1017',
  last_name: 'Rojas',
  medium: 'paid',
  name: 'Ana Rojas',
  national_id: '12.345.678-5',
  new_password: 'a longer phrase of your own',
  os: 'Windows',
  parent_name: 'Spring sale',
  password: 'a long phrase of your own',
  path: '/e-bikes',
  phone: '+56912345678',
  primary_email: 'ana@example.com',
  primary_phone: '+56912345678',
  profile_name: 'Harbour Bikes',
  source: 'instagram',
  subject_ref: 'child-2',
  timezone: 'America/Santiago',
  touch_channels: 'paid_social',
  url: 'https://shop.example/e-bikes',
  workspace_name: 'Harbour Group',
}
/** What an open object is keyed by, where it is no count by conversion type. */
const keyOf: Record<string, string> = { click_ids: 'gclid' }

/**
 * An example of a schema: its own where it has one, else made from its types, formats and names. A request shows what it
 * must hold, or everything where nothing is a must; an answer everything it can.
 */
export function exampleOf(schema: Schema, schemas: Schemas, use: 'request' | 'answer', name = ''): unknown {
  const of = (inner: Schema, innerName = name) => exampleOf(inner, schemas, use, innerName)
  if (schema.$ref) return of(schemas[schema.$ref.split('/').at(-1)!]!)
  if (schema.example !== undefined) return schema.example
  if (schema.examples?.length) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return of(choices.find(({ type }) => type !== 'null') ?? choices[0]!)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => of(part)))
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'object':
      return objectOf(schema, use, name, of)
    case 'array':
      return schema.items ? [of(schema.items)] : []
    case 'string':
      return textOf(schema, name)
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return schema.default ?? true
    default:
      return null
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  use: 'request' | 'answer',
  objectName: string,
  of: (inner: Schema, name: string) => unknown,
): object {
  if (Object.keys(properties).length === 0 && typeof additionalProperties === 'object') {
    const key = keyOf[objectName] ?? 'payment_received'
    return { [key]: of(additionalProperties, key) }
  }
  const isShown = (name: string) => use === 'answer' || required.length === 0 || required.includes(name)
  const shown = Object.entries(properties).filter(([name]) => isShown(name))
  return Object.fromEntries(shown.map(([name, inner]) => [name, of(inner, name)]))
}

const textOf = ({ format = '', minLength = 0 }: Schema, name: string): string =>
  byFormat[format] ?? byName[name] ?? (name || 'text').padEnd(minLength, '.')

/** What a refusal with the code looks like. */
export const refusalOf = (code: ErrorCode, baseUrl: string) => ({
  summary: catalogue[code].meaning,
  value: {
    error: {
      code,
      message: new ApiError(code).message,
      status: catalogue[code].status,
      request_id: byFormat.uuid,
      docs_url: docsUrl(baseUrl, code),
    },
  },
})
