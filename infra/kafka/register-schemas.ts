import { type Codec, createCodec } from '../../schemas/codec.ts'
import { schemaText, schemaVersions } from '../../schemas/registry.ts'

/** Registers every schema with an outside registry, in order, and gives a codec that writes and reads its ids. */
export async function registerSchemas(url: string): Promise<Codec> {
  const ids = new Map<number, number>()
  for (const entry of schemaVersions) {
    const address = `${url.replace(/\/$/, '')}/subjects/${encodeURIComponent(entry.subject)}/versions`
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schemaType: 'AVRO', schema: schemaText(entry) }),
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) {
      throw new Error(`the schema registry refused ${entry.subject} version ${entry.version} (${response.status})`)
    }
    const { id } = (await response.json()) as { id: number }
    ids.set(entry.id, id)
  }
  return createCodec((entry) => ids.get(entry.id)!)
}
