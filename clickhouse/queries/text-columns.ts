import { z } from 'zod'
import { query } from '../query.ts'

/** Every column of a profile's rows that can hold text. */
export const textColumns = query({
  name: 'text_columns',
  params: z.object({}),
  row: z.object({ table: z.string(), column: z.string(), type: z.string() }),
  sql: `
SELECT table, name AS column, type FROM system.columns
WHERE database = currentDatabase() AND type LIKE '%String%' AND default_kind != 'ALIAS'
  AND table IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'profile_id')
  AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
ORDER BY table, position`,
})

const quoted = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``

const asText = (column: string, type: string): string => {
  if (type.startsWith('Map(')) return `arrayStringConcat(arrayMap(x -> toString(x), mapValues(${quoted(column)})), ' ')`
  if (type.startsWith('Array(')) return `arrayStringConcat(arrayMap(x -> toString(x), ${quoted(column)}), ' ')`
  return `ifNull(toString(${quoted(column)}), '')`
}

/** How many rows of a profile hold one of the words, column by column: names of tables and columns are the engine's own. */
export const wordsInTable = (table: string, columns: readonly { column: string; type: string }[]) =>
  query({
    name: `words_in_${table}`,
    params: z.object({ profile: z.uuid(), words: z.array(z.string()), pattern: z.string() }),
    row: z.object({ counts: z.array(z.coerce.number()) }),
    // The search for all words at once is quick; the pattern looks only at what it found.
    sql: `
SELECT [${columns
      .map(({ column, type }) => {
        const text = asText(column, type)
        return `countIf(multiSearchAnyCaseInsensitive(${text}, {words:Array(String)}) AND match(${text}, {pattern:String}))`
      })
      .join(', ')}] AS counts
FROM ${quoted(table)} WHERE profile_id = {profile:UUID}`,
  })
