import { readFileSync } from 'node:fs'
import avro from 'avsc'

export interface SchemaVersion {
  /** Stands in front of every message for ever: never change one, never use one twice. */
  id: number
  subject: string
  version: number
  file: string
}

const value = (id: number, topic: string, version: number): SchemaVersion => ({
  id,
  subject: subjectOf(topic),
  version,
  file: `${topic}.v${version}.avsc`,
})

export function subjectOf(topic: string): string {
  return `${topic}-value`
}

/** Append-only: a changed schema is a new file and a new line at the end. */
export const schemaVersions: readonly SchemaVersion[] = [
  value(1, 'visits', 1),
  value(2, 'events', 1),
  value(3, 'crm-outcomes', 1),
  value(4, 'payments', 1),
  value(5, 'ad-delivery', 1),
  value(6, 'settings', 1),
  value(7, 'dirty-customers', 1),
  value(8, 'rejected', 1),
  value(9, 'payment-actions', 1),
  value(10, 'fx-rates', 1),
  value(15, 'identity', 1),
  value(11, 'settings', 2),
  value(14, 'crm-outcomes', 2),
  value(12, 'ad-delivery', 2),
  value(16, 'payment-actions', 2),
]

export function schemaText(entry: SchemaVersion): string {
  return readFileSync(new URL(`./avro/${entry.file}`, import.meta.url), 'utf8')
}

export function parseSchema(text: string): avro.Type {
  return avro.Type.forSchema(JSON.parse(text), { omitRecordMethods: true })
}

/** What a reader of a later version could not read of an earlier one (Confluent's BACKWARD_TRANSITIVE). */
export function incompatibilities(versions: { version: number; type: avro.Type }[]): string[] {
  const found: string[] = []
  for (const reader of versions) {
    for (const writer of versions.filter((earlier) => earlier.version < reader.version)) {
      try {
        reader.type.createResolver(writer.type)
      } catch (error) {
        found.push(`version ${reader.version} cannot read version ${writer.version}: ${(error as Error).message}`)
      }
    }
  }
  return found
}
