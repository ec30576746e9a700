import type { FastifyReply } from 'fastify'
import { File, type ResponseSpec, seal, wrap } from './envelope.ts'
import type { Operation, ReplyMeta } from './operation.ts'

/** What goes out, as far as the operation decides it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
  /** How many persons it tells of. */
  persons: number
}

/** What a handler says of its answer, beside the data. */
export class Remarks implements ReplyMeta {
  code: number
  readonly headers: Record<string, string> = {}
  personCount: number | undefined

  constructor({ statuses }: Operation<never>) {
    this.code = statuses[0] ?? 200
  }

  status(code: number) {
    this.code = code
  }

  header(name: string, value: string) {
    this.headers[name.toLowerCase()] = value
  }

  /** Handlers call it on its own. */
  readonly persons = (count: number) => {
    this.personCount = count
  }
}

/** Runs the handler and checks what it returns against what the description promises. */
export async function perform(
  operation: Operation<never>,
  context: object,
  remarks: Remarks,
  profileId: string | undefined,
): Promise<Answer> {
  const result = await operation.handler(context as never)
  const { code: status, headers, personCount } = remarks
  if (!operation.statuses.includes(status)) throw new Error(`${operation.id} does not declare its status.`)
  if (result instanceof File) {
    if (!Object.hasOwn(operation.files, result.type)) throw new Error(`${operation.id} does not declare its file.`)
    return { status, headers, body: result, persons: personCount ?? 0 }
  }
  const own = operation.isPublic ? undefined : (profileId ?? null)
  const body = seal(operation, wrap(operation.response, result, own))
  return { status, headers, body, persons: personCount ?? personsIn(operation.response, body as { data: unknown }) }
}

/** Where a handler does not say: one a row of a list, and one for a single answer that is not empty. */
function personsIn({ kind }: ResponseSpec, { data }: { data: unknown }): number {
  if (kind === 'page') return (data as unknown[]).length
  if (data === null || typeof data !== 'object') return 0
  const fields = Object.values(data)
  const lists = fields.filter(Array.isArray)
  if (lists.length > 0) return lists.some((list) => list.length > 0) ? 1 : 0
  return fields.some((field) => field !== null) ? 1 : 0
}

export function send(reply: FastifyReply, answer: Answer): unknown {
  reply.code(answer.status).headers(answer.headers)
  if (answer.body instanceof File) {
    return reply.type(`${answer.body.type}; charset=utf-8`).send(answer.body.text)
  }
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
  return answer.body
}
