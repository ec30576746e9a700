import type { Warehouse } from './client.ts'
import { textColumns, wordsInTable } from './queries/text-columns.ts'

export interface Found {
  table: string
  column: string
  rows: number
}

/** ClickHouse looks for this many words in one pass. */
const wordsPerPass = 200

/** Where in a profile's rows one of the words stands; `toPattern` says what counts as a word of its own. */
export async function searchWords(
  warehouse: Warehouse,
  profile: string,
  words: readonly string[],
  toPattern: (words: readonly string[]) => string,
): Promise<{ columns: number; found: Found[] }> {
  const columns = await warehouse.run(textColumns, {})
  const found: Found[] = []
  for (let at = 0; at < words.length; at += wordsPerPass) {
    const some = words.slice(at, at + wordsPerPass)
    // Case is ignored, as in the search before the pattern.
    const params = { profile, words: some, pattern: `(?i)${toPattern(some)}` }
    for (const [table, own] of Map.groupBy(columns, ({ table }) => table)) {
      const [row] = await warehouse.run(wordsInTable(table, own), params)
      for (const [n, { column }] of own.entries()) {
        const rows = row?.counts[n] ?? 0
        if (rows > 0) found.push({ table, column, rows })
      }
    }
  }
  return { columns: columns.length, found }
}
