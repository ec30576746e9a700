import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { incompatibilities, parseSchema, schemaText, schemaVersions, subjectOf } from '../../schemas/registry.ts'
import { topics } from '../../schemas/topics.ts'

// A copy of the list, on purpose: an id that changes its meaning makes kept messages unreadable. Add lines, never edit.
const published = [
  '1 visits-value 1',
  '2 events-value 1',
  '3 crm-outcomes-value 1',
  '4 payments-value 1',
  '5 ad-delivery-value 1',
  '6 settings-value 1',
  '7 dirty-customers-value 1',
  '8 rejected-value 1',
  '9 payment-actions-value 1',
  '10 fx-rates-value 1',
  '15 identity-value 1',
  '11 settings-value 2',
  '14 crm-outcomes-value 2',
  '12 ad-delivery-value 2',
  '16 payment-actions-value 2',
]

const subjects = [...new Set(schemaVersions.map((entry) => entry.subject))]
const record = (...fields: object[]) => parseSchema(JSON.stringify({ type: 'record', name: 'R', fields }))

describe('the list of schemas', () => {
  it('only ever grows at its end', () => {
    const lines = schemaVersions.map((entry) => `${entry.id} ${entry.subject} ${entry.version}`)
    expect(lines).toEqual(published)
  })

  it('uses every id once', () => {
    expect(new Set(schemaVersions.map((entry) => entry.id)).size).toBe(schemaVersions.length)
  })

  it.each(subjects)('numbers the versions of %s from 1 without a gap', (subject) => {
    const versions = schemaVersions.filter((entry) => entry.subject === subject).map((entry) => entry.version)
    expect(versions).toEqual(versions.map((_, index) => index + 1))
  })

  it('names every file of schemas/avro and no other', () => {
    const files = readdirSync(new URL('../../schemas/avro', import.meta.url)).sort()
    expect(schemaVersions.map((entry) => entry.file).sort()).toEqual(files)
  })

  it('has a schema for every topic', () => {
    expect(new Set(subjects)).toEqual(new Set(Object.values(topics).map((topic) => subjectOf(topic.name))))
  })

  it.each(subjects)('keeps every version of %s able to read every earlier one', (subject) => {
    const versions = schemaVersions
      .filter((entry) => entry.subject === subject)
      .map((entry) => ({ version: entry.version, type: parseSchema(schemaText(entry)) }))
    expect(incompatibilities(versions)).toEqual([])
  })

  it('finds a change that a reader could not bridge, also across versions in between', () => {
    const a = { name: 'a', type: 'string' }
    const versions = [
      { version: 1, type: record(a) },
      { version: 2, type: record(a, { name: 'b', type: 'string', default: '' }) },
      { version: 3, type: record(a, { name: 'b', type: 'string' }) },
    ]
    expect(incompatibilities(versions.slice(0, 2))).toEqual([])
    expect(incompatibilities(versions)).toEqual([expect.stringContaining('version 3 cannot read version 1')])
  })
})
