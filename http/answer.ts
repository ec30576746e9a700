import type { FastifyReply } from 'fastify'
import { File, type ResponseSpec, seal, wrap } from './envelope.ts'
import type { Operation } from './operation.ts'

/** What goes out, as far as the operation decides it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
  /** How many persons it tells of. */
  persons: number
}

/** Runs the handler and checks what it returns against what the description promises. */
export async function perform(
  operation: Operation<never>,
  context: object,
  profileId: string | undefined,
): Promise<Answer> {
  const out: Omit<Answer, 'body' | 'persons'> = { status: operation.statuses[0] ?? 200, headers: {} }
  let persons: number | undefined
  const told = {
    persons: (count: number) => {
      persons = count
    },
    reply: {
      status: (code: number) => {
        out.status = code
      },
      header: (name: string, value: string) => {
        out.headers[name.toLowerCase()] = value
      },
    },
  }
  const result = await operation.handler(Object.assign(context, told) as never)
  if (!operation.statuses.includes(out.status)) throw new Error(`${operation.id} does not declare its status.`)
  if (result instanceof File) {
    if (!Object.hasOwn(operation.files, result.type)) throw new Error(`${operation.id} does not declare its file.`)
    return { ...out, body: result, persons: persons ?? 0 }
  }
  const own = operation.isPublic ? undefined : (profileId ?? null)
  const body = seal(operation, wrap(operation.response, result, own))
  return { ...out, body, persons: persons ?? personsIn(operation.response, body as { data: unknown }) }
}

/** Where a handler does not say: one a row of a list, and one for a single answer that is not empty. */
export function personsIn({ kind }: ResponseSpec, { data }: { data: unknown }): number {
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
