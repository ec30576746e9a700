import { z } from 'zod'

export const Pagination = z
  .object({ has_next: z.boolean(), cursor: z.string().nullable() })
  .meta({ id: 'Pagination', description: 'Whether more rows follow, and what to send to get them.' })
export type Pagination = z.infer<typeof Pagination>

/** A body that wears no envelope: a file to be used as it is, of a type that the operation declares in `files`. */
export class File {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

type Shape = z.ZodRawShape
// biome-ignore lint/complexity/noBannedTypes: the shape of a meta object without further fields
export type NoShape = {}

export interface One<Data extends z.ZodType, Meta extends Shape> {
  kind: 'one'
  data: Data
  meta: Meta
}

export interface Page<Row extends z.ZodType, Meta extends Shape> {
  kind: 'page'
  data: Row
  meta: Meta
}

export type ResponseSpec = One<z.ZodType, Shape> | Page<z.ZodType, Shape>

/** `{data, meta}`: the handler returns the data, or `{data, meta}` when the response declares further meta fields. */
export const one = <Data extends z.ZodType, Meta extends Shape = NoShape>(
  data: Data,
  extra: { meta?: Meta } = {},
): One<Data, Meta> => ({ kind: 'one', data, meta: extra.meta ?? ({} as Meta) })

/** `{data: [], pagination, meta}`: the handler returns all rows there are, or `{data, pagination, meta}`. */
export const page = <Row extends z.ZodType, Meta extends Shape = NoShape>(
  row: Row,
  extra: { meta?: Meta } = {},
): Page<Row, Meta> => ({ kind: 'page', data: row, meta: extra.meta ?? ({} as Meta) })

type HasMeta<Meta, With, Without> = keyof Meta extends never ? Without : With
type MetaOf<Meta extends Shape> = z.input<z.ZodObject<Meta>>

/** What a handler returns for its response: plain data; the frame wraps it. */
export type Result<Response> =
  Response extends One<infer Data, infer Meta>
    ? HasMeta<Meta, { data: z.input<Data>; meta: MetaOf<Meta> }, z.input<Data>>
    : Response extends Page<infer Row, infer Meta>
      ? HasMeta<
          Meta,
          { data: z.input<Row>[]; pagination?: Pagination; meta: MetaOf<Meta> },
          z.input<Row>[] | { data: z.input<Row>[]; pagination?: Pagination }
        >
      : never

/** Whether an answer names the profile it concerns; where none is concerned, an API key still has its own. */
export type MetaProfile = 'own' | 'own or null' | 'none'

const metaProfiles = {
  own: { profile_id: z.uuid() },
  'own or null': { profile_id: z.uuid().nullable() },
  none: {},
} satisfies Record<MetaProfile, Shape>

export function envelopeSchema(response: ResponseSpec, metaProfile: MetaProfile): z.ZodType {
  const meta = z.object({ ...metaProfiles[metaProfile], ...response.meta })
  return response.kind === 'one'
    ? z.object({ data: response.data, meta })
    : z.object({ data: z.array(response.data), pagination: Pagination, meta })
}

/** The handler's answer breaks what the description promises: a fault of ours, so it is never sent. */
export class BrokenResponse extends Error {
  constructor(operation: string, error: z.ZodError) {
    // Paths and rules only: values may be personal.
    super(`${operation}: ${error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ')}`)
    this.name = 'BrokenResponse'
  }
}

/** Fields that the schema does not name are dropped, so nothing undocumented leaves the service. */
export function seal(operation: { id: string; envelope: z.ZodType }, answer: unknown): unknown {
  const parsed = operation.envelope.safeParse(answer)
  if (!parsed.success) throw new BrokenResponse(operation.id, parsed.error)
  return parsed.data
}

export function wrap(response: ResponseSpec, result: unknown, profileId: string | null | undefined): unknown {
  const own = profileId === undefined ? {} : { profile_id: profileId }
  const hasMeta = Object.keys(response.meta).length > 0
  if (response.kind === 'one') {
    if (!hasMeta) return { data: result, meta: own }
    const { data, meta } = result as { data: unknown; meta: object }
    return { data, meta: { ...meta, ...own } }
  }
  const { data, pagination, meta } = (Array.isArray(result) ? { data: result } : result) as {
    data: unknown[]
    pagination?: Pagination
    meta?: object
  }
  return { data, pagination: pagination ?? { has_next: false, cursor: null }, meta: { ...meta, ...own } }
}
