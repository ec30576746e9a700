import type { Warehouse } from './client.ts'
import { mostTexts, shareOfTexts, textColumns, textsWithWords } from './queries/text-columns.ts'

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
    const look = { profile, words: some, isFound }
    for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
      const [row] = await warehouse.run(textsWithWords(table, own), { profile, words: some })
      for (const [n, { column }] of own.entries()) {
        const texts = row?.texts[n] ?? []
        const rows = texts.filter(isFound).length || (await foundAmongMore(warehouse, table, own[n]!, texts, look))
        if (rows > 0) found.set(`${table}.${column}`, { table, column, rows })
      }
    }
  }
  return { columns: columns.length, found: [...found.values()] }
}

interface Look {
  profile: string
  words: string[]
  isFound: (text: string) => boolean
}

/**
 * Where a word is the beginning of many others, a thousand texts may hold it and none as a word of its own. The rest is
 * gone through in shares, ever smaller ones, until each was seen whole.
 */
async function foundAmongMore(
  warehouse: Warehouse,
  table: string,
  column: { column: string; type: string },
  seen: readonly string[],
  { isFound, ...look }: Look,
): Promise<number> {
  let isCut = seen.length === mostTexts
  for (let shares = 16; isCut; shares *= 16) {
    isCut = false
    for (let share = 0; share < shares; share++) {
      const [row] = await warehouse.run(shareOfTexts(table, column), { ...look, share, shares })
      const found = row!.texts.filter(isFound).length
      if (found > 0) return found
      isCut ||= row!.texts.length === mostTexts
    }
  }
  return 0
}
