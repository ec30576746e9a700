import type { Warehouse } from './client.ts'
import { textColumns, textsWithWords } from './queries/text-columns.ts'

export interface Found {
  table: string
  column: string
  rows: number
}

/** ClickHouse looks for this many words in one pass. */
export const wordsPerPass = 200

/** Where in a profile's rows one of the words stands; `isFound` says whether a text holds it as a word of its own. */
export async function searchWords(
  warehouse: Warehouse,
  profile: string,
  words: readonly string[],
  isFound: (text: string) => boolean,
): Promise<{ columns: number; found: Found[] }> {
  const columns = await warehouse.run(textColumns, {})
  const found = new Map<string, Found>()
  for (let at = 0; at < words.length; at += wordsPerPass) {
    const some = words.slice(at, at + wordsPerPass)
    for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
      const [row] = await warehouse.run(textsWithWords(table, own), { profile, words: some })
      for (const [n, { column }] of own.entries()) {
        const rows = (row?.texts[n] ?? []).filter(isFound).length
        if (rows > 0) found.set(`${table}.${column}`, { table, column, rows })
      }
    }
  }
  return { columns: columns.length, found: [...found.values()] }
}
