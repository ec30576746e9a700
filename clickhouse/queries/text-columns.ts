import { z } from 'zod'
import { query } from '../query.ts'

/** Every column of a profile's rows that can hold text of its own: what is computed has only what the others have. */
export const textColumns = query({
  name: 'text_columns',
  params: z.object({}),
  row: z.object({ table: z.string(), column: z.string(), type: z.string() }),
  sql: `
SELECT table, name AS column, type FROM system.columns
WHERE database = currentDatabase() AND type LIKE '%String%' AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')
  AND table IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'profile_id')
  AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
ORDER BY table, position`,
})

export const quoted = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``

/** A column's texts as one. */
export const asText = (column: string, type: string): string => {
  if (type.startsWith('Map(')) return `arrayStringConcat(arrayMap(x -> toString(x), mapValues(${quoted(column)})), ' ')`
  if (type.startsWith('Array(')) return `arrayStringConcat(arrayMap(x -> toString(x), ${quoted(column)}), ' ')`
  return `ifNull(toString(${quoted(column)}), '')`
}

/** The most texts of a column that are looked at more closely at once. */
export const mostTexts = 1000

/** Texts of a profile's rows that hold one of the words, column by column; tables and columns are named by the engine. */
export const textsWithWords = (table: string, columns: readonly { column: string; type: string }[]) =>
  query({
    name: `texts_with_words_${table}`,
    params: z.object({ profile: z.uuid(), words: z.array(z.string()) }),
    row: z.object({ texts: z.array(z.array(z.string())) }),
    sql: `
SELECT [${columns
      .map(({ column, type }) => {
        const text = asText(column, type)
        return `groupArrayIf(${mostTexts})(${text}, multiSearchAnyCaseInsensitive(${text}, {words:Array(String)}))`
      })
      .join(', ')}] AS texts
FROM ${quoted(table)} WHERE profile_id = {profile:UUID}`,
  })

/** A share of the different texts of one column that hold one of the words. */
export const shareOfTexts = (table: string, { column, type }: { column: string; type: string }) => {
  const text = asText(column, type)
  return query({
    name: `share_of_texts_${table}`,
    params: z.object({ profile: z.uuid(), words: z.array(z.string()), share: z.int(), shares: z.int() }),
    row: z.object({ texts: z.array(z.string()) }),
    sql: `
SELECT groupUniqArray(${mostTexts})(${text}) AS texts FROM ${quoted(table)}
WHERE profile_id = {profile:UUID} AND multiSearchAnyCaseInsensitive(${text}, {words:Array(String)})
  AND cityHash64(${text}) % {shares:UInt32} = {share:UInt32}`,
  })
}
