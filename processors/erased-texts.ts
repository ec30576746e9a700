import type pg from 'pg'
import type { Warehouse } from '../clickhouse/client.ts'
import {
  forgetReferences,
  learnReferences,
  rewriteTexts,
  rowsWithWords,
  type Text,
  type TextColumn,
  tablesOfTexts,
  touchesOfHits,
} from '../clickhouse/erased-texts.ts'
import { textColumns } from '../clickhouse/queries/text-columns.ts'
import { inParts } from '../clickhouse/query.ts'
import { type Found, wordsPerPass } from '../clickhouse/search-words.ts'
import type { WordFinder } from '../domain/erasures.ts'
import { type ErasedRow, eachErasedTexts, keepErasedTexts } from '../postgres/stores/erased-texts.ts'

interface Stores {
  postgres: pg.Pool
  warehouse: Warehouse
}

/** What is told, not derived: a replay reads it from the topics again, with the texts as they were sent. */
const facts = ['hits', 'outcomes', 'event_receipts']

/** Whether all of it stands in texts that a sender wrote freely, not in a name that the merchant's own lists hold. */
export const areFreeTexts = (found: readonly Found[]): boolean => found.every(({ table }) => table in tablesOfTexts)

/**
 * Puts a mark in the place of each word in the warehouse's free texts and keeps what they read since. Kept before it is
 * done: whoever stops in between begins anew, and a replay that runs meanwhile applies it.
 */
export async function eraseTexts(
  { postgres, warehouse }: Stores,
  profileId: string,
  found: readonly Found[],
  words: readonly string[],
  finder: WordFinder,
): Promise<number> {
  const all = await warehouse.run(textColumns, {})
  let count = 0
  // What touches say of their ad is forgotten only after they say it otherwise.
  const isLast = ({ table }: Found) => Number(table === 'touch_references')
  const inOrder = found.toSorted((x, y) => isLast(x) - isLast(y))
  for (const [table, places] of Map.groupBy(inOrder, (place) => place.table)) {
    const columns = all.filter((one) => one.table === table && places.some(({ column }) => column === one.column))
    for (let at = 0; at < words.length; at += wordsPerPass) {
      const some = words.slice(at, at + wordsPerPass)
      for await (const rows of rowsWithWords(warehouse, profileId, table, columns, some)) {
        const erased = once(rows.flatMap((row) => withoutWords(row, columns, finder)))
        if (erased.length === 0) continue
        if (facts.includes(table)) await keepErasedTexts(postgres, profileId, table, erased)
        await rewrite(warehouse, profileId, table, erased)
        count += erased.length
      }
    }
  }
  return count
}

async function rewrite(warehouse: Warehouse, profile: string, table: string, rows: ErasedRow[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  if (table === 'touch_references') return warehouse.execute(forgetReferences, { profile, references: ids })
  await rewriteTexts(warehouse, profile, table, rows)
  if (table !== 'touches') return
  for (const touches of inParts(ids)) await warehouse.execute(learnReferences, { profile, touches })
}

/** A message that was stored twice stands in two parts until they are merged. */
function once(rows: ErasedRow[]): ErasedRow[] {
  const known = new Map<string, ErasedRow>()
  for (const row of rows) {
    const key = `${row.id} ${row.version}`
    known.set(key, { ...row, columns: { ...known.get(key)?.columns, ...row.columns } })
  }
  return [...known.values()]
}

function withoutWords(
  row: ErasedRow,
  columns: readonly TextColumn[],
  { isFound, withoutWords }: WordFinder,
): ErasedRow[] {
  const isHeld = (text: Text) => (typeof text === 'string' ? [text] : Object.values(text)).some(isFound)
  const held = columns.map(({ column }) => column).filter((column) => isHeld(row.columns[column]!))
  const erase = (text: Text): Text => {
    if (typeof text === 'string') return withoutWords(text)
    if (Array.isArray(text)) return text.map(withoutWords)
    return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, withoutWords(value)]))
  }
  return held.length === 0
    ? []
    : [{ ...row, columns: Object.fromEntries(held.map((column) => [column, erase(row.columns[column]!)])) }]
}

/** Applies all that is kept to what a replay has read, and to touches that were derived from it before. */
export async function eraseTextsAgain({ postgres, warehouse }: Stores, profileId: string | null): Promise<void> {
  await eachErasedTexts(postgres, profileId, async (profile, fact, rows) => {
    await rewriteTexts(warehouse, profile, fact, rows)
    if (fact !== 'hits') return
    for (const hits of inParts(rows)) await eraseTouches(warehouse, profile, hits)
  })
}

/** The columns of a hit that its touch repeats. */
const columnsOfTouches = ['source', 'medium', 'campaign_ref', 'ad_set_ref', 'ad_ref', 'utm', 'url', 'path']

async function eraseTouches(warehouse: Warehouse, profile: string, hits: ErasedRow[]): Promise<void> {
  const touches = () => warehouse.run(touchesOfHits, { profile, hits: hits.map(({ id }) => id) })
  const before = await touches()
  if (before.length === 0) return
  const columnsOf = new Map(
    hits.map(({ id, columns }) => [
      id,
      Object.fromEntries(Object.entries(columns).filter(([column]) => columnsOfTouches.includes(column))),
    ]),
  )
  await rewrite(
    warehouse,
    profile,
    'touches',
    before.map(({ id, version }) => ({ id, version, columns: columnsOf.get(id)! })),
  )
  const kept = new Set((await touches()).map(({ reference }) => reference))
  const gone = [...new Set(before.map(({ reference }) => reference))].filter((reference) => !kept.has(reference))
  if (gone.length > 0) await warehouse.execute(forgetReferences, { profile, references: gone })
}
