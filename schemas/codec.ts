import type avro from 'avsc'
import { parseSchema, type SchemaVersion, schemaText, schemaVersions, subjectOf } from './registry.ts'
import type { Topic } from './topics.ts'

export type Undecodable = 'empty' | 'no_magic_byte' | 'unknown_schema' | 'other_subject' | 'malformed'

export type Decoded<Value> = { kind: 'ok'; value: Value } | { kind: 'undecodable'; why: Undecodable }

export interface Codec {
  /** Confluent's wire format: 0x00, the schema's id in four bytes, the Avro body. Throws if the value breaks the schema. */
  encode<Value>(topic: Topic<Value>, value: Value): Buffer
  /** Reads what any earlier version wrote as the newest. */
  decode<Value>(topic: Topic<Value>, bytes: Buffer | null | undefined): Decoded<Value>
}

interface Reader {
  subject: string
  read: (body: Buffer) => unknown
}

const headerBytes = 5

/** `idOf` maps our ids to those of an outside registry; without one our own are used. */
export function createCodec(idOf: (entry: SchemaVersion) => number = (entry) => entry.id): Codec {
  const writers = new Map<string, { header: Buffer; type: avro.Type }>()
  const readers = new Map<number, Reader>()
  const types = schemaVersions.map((entry) => ({ entry, type: parseSchema(schemaText(entry)) }))
  for (const { entry, type } of types) {
    if (entry !== newest(entry.subject)) continue
    const header = Buffer.alloc(headerBytes)
    header.writeUInt32BE(idOf(entry), 1)
    writers.set(entry.subject, { header, type })
  }
  for (const { entry, type } of types) {
    const reader = writers.get(entry.subject)!.type
    const resolver = reader === type ? undefined : reader.createResolver(type)
    readers.set(idOf(entry), { subject: entry.subject, read: (body) => reader.fromBuffer(body, resolver) })
  }

  return {
    encode(topic, value) {
      const writer = writers.get(subjectOf(topic.name))
      if (!writer) throw new Error(`no schema is registered for topic ${topic.name}`)
      try {
        return withHeader(writer.header, writer.type, value)
      } catch {
        // avsc's own message quotes the value, which may be personal: say where, not what.
        throw new TypeError(`a value does not fit the schema of ${topic.name} at ${invalidPaths(writer.type, value)}`)
      }
    },
    decode<Value>(topic: Topic<Value>, bytes: Buffer | null | undefined): Decoded<Value> {
      if (!bytes || bytes.length === 0) return { kind: 'undecodable', why: 'empty' }
      if (bytes[0] !== 0 || bytes.length < headerBytes) return { kind: 'undecodable', why: 'no_magic_byte' }
      const reader = readers.get(bytes.readUInt32BE(1))
      if (!reader) return { kind: 'undecodable', why: 'unknown_schema' }
      if (reader.subject !== subjectOf(topic.name)) return { kind: 'undecodable', why: 'other_subject' }
      try {
        return { kind: 'ok', value: reader.read(bytes.subarray(headerBytes)) as Value }
      } catch {
        return { kind: 'undecodable', why: 'malformed' }
      }
    },
  }
}

// Nearly every message fits: written here and copied once.
const scratch = Buffer.allocUnsafe(16 * 1024)

function withHeader(header: Buffer, type: avro.Type, value: unknown): Buffer {
  const end = type.encode(value, scratch, headerBytes)
  if (end < 0) return Buffer.concat([header, type.toBuffer(value)])
  header.copy(scratch)
  return Buffer.from(scratch.subarray(0, end))
}

function invalidPaths(type: avro.Type, value: unknown): string {
  const paths: string[] = []
  type.isValid(value, { errorHook: (path) => paths.push(path.join('.')) })
  return paths.join(', ') || 'an unknown place'
}

function newest(subject: string): SchemaVersion {
  return schemaVersions.filter((entry) => entry.subject === subject).reduce((a, b) => (b.version > a.version ? b : a))
}

/** The codec with our own ids. */
export const ownCodec: Codec = createCodec()
export const { encode, decode } = ownCodec
