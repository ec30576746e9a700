import type { IncomingMessage } from 'node:http'
import { errors } from './errors.ts'
import { maxQueryBytes } from './request-body.ts'

export const isForm = (message: IncomingMessage) =>
  message.headers['content-type']?.startsWith('multipart/form-data') ?? false

/** Clients send a query with large parameters as a form: `query` and `param_*` as fields. */
export async function readForm(message: IncomingMessage): Promise<[string, string][]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    size += chunk.length
    if (size > maxQueryBytes) throw errors.queryTooLarge(maxQueryBytes)
    chunks.push(chunk)
  }
  const headers = { 'content-type': message.headers['content-type'] ?? '' }
  const form = await new Response(Buffer.concat(chunks), { headers }).formData().catch(() => undefined)
  if (!form) throw errors.badArguments('The multipart form cannot be read')
  return [...form].map(([name, value]) => {
    if (typeof value !== 'string') throw errors.notImplemented(`External table '${name}' is not supported here`)
    return [name, value]
  })
}
