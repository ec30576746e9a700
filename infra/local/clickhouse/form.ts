import type { IncomingMessage } from 'node:http'
import { errors } from './errors.ts'
import { maxQueryBytes } from './request-body.ts'

export const isForm = (message: IncomingMessage) =>
  message.headers['content-type']?.startsWith('multipart/form-data') ?? false

/** As a server's own setting is unless somebody changes it (`http_max_field_value_size`). */
const maxFieldBytes = 128 * 1024

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
    if (Buffer.byteLength(value) > maxFieldBytes) throw errors.badArguments('Field value too long')
    return [name, value]
  })
}
