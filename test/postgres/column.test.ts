import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { column } from '../../postgres/column.ts'
import { type FreshDatabase, freshDatabase } from '../fresh-database.ts'
import { serverUrl } from '../profiles.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
})
afterAll(() => database.drop())

const sameAsArrays = async <Value extends string | boolean | number | null>(
  type: string,
  values: fc.Arbitrary<Value>,
) => {
  await fc.assert(
    fc.asyncProperty(fc.array(values), async (all) => {
      const { rows } = await database.pool.query(
        `SELECT $1::${type}[] = $2::${type}[] AS same, cardinality($1::${type}[]) AS count`,
        [column(all, (value) => value), all],
      )
      expect(rows).toEqual([{ same: true, count: all.length }])
    }),
    { numRuns: 50 },
  )
}

it('says any texts as an array of them does', () =>
  sameAsArrays(
    'text',
    fc.option(
      fc.oneof(
        fc.constantFrom('', 'NULL', 'null', '"', '\\', '{}', ',', ' ', "'", '\\"'),
        fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', '')),
      ),
    ),
  ))

it('says ids, flags and numbers as an array of them does', async () => {
  await sameAsArrays('uuid', fc.option(fc.uuid()))
  await sameAsArrays('boolean', fc.option(fc.boolean()))
  await sameAsArrays('bigint', fc.maxSafeInteger())
})
