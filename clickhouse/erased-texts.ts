import { z } from 'zod'
import type { Warehouse } from './client.ts'
import { asText, quoted } from './queries/text-columns.ts'
import { query, statement } from './query.ts'

/** What a column reads: a text, the tags of a click, or a list. */
export type Text = string | string[] | Record<string, string>

export interface TextRow {
  id: string
  version: string
  columns: Record<string, Text>
}

/**
 * Where senders' free texts stand, and by what each row is found. No text is part of a sort key, so all can be rewritten.
 * Of a fact that was told twice the warehouse keeps the higher version, the other is merged away sooner or later: what is
 * kept of the one stands for the other as well, which a replay reads again. Receipts are all kept.
 */
export const tablesOfTexts: Record<string, { id: string; version: string; covers: '=' | '>=' }> = {
  hits: { id: 'event_id', version: 'version', covers: '>=' },
  outcomes: { id: 'outcome_id', version: 'version', covers: '>=' },
  event_receipts: { id: 'event_id', version: 'receipt', covers: '=' },
  touches: { id: 'touch_id', version: 'version', covers: '>=' },
  credits: { id: 'conversion_id', version: 'version', covers: '>=' },
  recompute_credits: { id: 'conversion_id', version: 'version', covers: '=' },
  // Looked up by a hash of its texts: such a row is never rewritten, but forgotten for the one that touches have since.
  touch_references: { id: 'reference', version: "''", covers: '=' },
}

export interface TextColumn {
  column: string
  type: string
}

const rowsPerPage = 1000

/** A profile's rows, superseded ones as well, of which a column holds one of the words; page by page, by id. */
export async function* rowsWithWords(
  warehouse: Warehouse,
  profile: string,
  table: string,
  columns: readonly TextColumn[],
  words: readonly string[],
): AsyncGenerator<TextRow[]> {
  const key = tablesOfTexts[table]!
  const found = columns.map(
    ({ column, type }) => `multiSearchAnyCaseInsensitive(${asText(column, type)}, {words:Array(String)})`,
  )
  const page = query({
    name: `rows_with_words_${table}`,
    params: z.object({ profile: z.uuid(), words: z.array(z.string()), id: z.string(), version: z.string() }),
    row: z.object({ row_id: z.string(), row_version: z.string(), texts: z.array(z.string()) }),
    sql: `
SELECT toString(${key.id}) AS row_id, toString(${key.version}) AS row_version,
  [${columns.map(({ column }) => `toJSONString(${quoted(column)})`).join(', ')}] AS texts
FROM ${quoted(table)}
WHERE profile_id = {profile:UUID} AND (row_id, row_version) > ({id:String}, {version:String}) AND (${found.join(' OR ')})
ORDER BY row_id, row_version LIMIT ${rowsPerPage}`,
  })
  for (let [id, version] = ['', '']; ; ) {
    const rows = await warehouse.run(page, { profile, words: [...words], id, version })
    yield rows.map(({ row_id, row_version, texts }) => ({
      id: row_id,
      version: row_version,
      columns: Object.fromEntries(columns.map(({ column }, n) => [column, JSON.parse(texts[n]!)])),
    }))
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerPage) return
    ;({ row_id: id, row_version: version } = last)
  }
}

const rowsPerRewrite = 500
/** A server takes no parameter of more than 128 KiB; half of it, as some letters are written with two. */
const bytesPerRewrite = 64 * 1024

/**
 * Rewrites texts where they stand, on disk as well: a newer row would leave the old one in its part until the parts are
 * merged. Resolves when it is done.
 */
export async function rewriteTexts(
  warehouse: Warehouse,
  profile: string,
  table: string,
  rows: readonly TextRow[],
): Promise<void> {
  // One statement rewrites the same columns of many rows.
  for (const unordered of Map.groupBy(rows, shapeOf).values()) {
    const group = unordered.toSorted((x, y) => (BigInt(x.version) < BigInt(y.version) ? -1 : 1))
    for (const some of inRewrites(group)) await rewrite(warehouse, profile, table, some)
  }
}

function* inRewrites(rows: readonly TextRow[]): Generator<TextRow[]> {
  let some: TextRow[] = []
  let bytes = 0
  for (const row of rows) {
    const own = Buffer.byteLength(JSON.stringify(row.columns))
    if (some.length === rowsPerRewrite || (some.length > 0 && bytes + own > bytesPerRewrite)) {
      yield some
      some = []
      bytes = 0
    }
    some.push(row)
    bytes += own
  }
  if (some.length > 0) yield some
}

const kindOf = (text: Text): string =>
  typeof text === 'string' ? 'String' : Array.isArray(text) ? 'Array(String)' : 'Map(String, String)'

const shapeOf = ({ columns }: TextRow): string =>
  JSON.stringify(
    Object.entries(columns)
      .map(([column, text]) => [column, kindOf(text)])
      .toSorted(),
  )

async function rewrite(warehouse: Warehouse, profile: string, table: string, rows: TextRow[]): Promise<void> {
  const key = tablesOfTexts[table]!
  const columns = Object.entries(rows[0]!.columns).map(([column, text]) => ({ column, kind: kindOf(text) }))
  if (columns.length === 0) return
  // By version: a row's own comes before those that cover it.
  const place = `arrayFirstIndex((i, v) -> i = ${key.id} AND toUInt128(v) ${key.covers} ${key.version},
  {ids:Array(UUID)}, {versions:Array(String)})`
  const updates = columns.map(({ column, kind }, n) => {
    const text = `arrayElement({c${n}:Array(String)}, ${place})`
    return `${quoted(column)} = ${kind === 'String' ? text : `JSONExtract(${text}, '${kind}')`}`
  })
  const update = statement({
    name: `rewrite_texts_${table}`,
    params: z.looseObject({ profile: z.uuid(), versions: z.array(z.string()), ids: z.array(z.uuid()) }),
    sql: `
ALTER TABLE ${quoted(table)} UPDATE ${updates.join(', ')}
WHERE profile_id = {profile:UUID} AND ${key.id} IN {ids:Array(UUID)} AND ${place} > 0
SETTINGS mutations_sync = 1`,
  })
  const values = columns.map(({ column }, n) => [`c${n}`, rows.map((row) => textOf(row.columns[column]!))])
  await warehouse.execute(update, {
    profile,
    versions: rows.map(({ version }) => version),
    ids: rows.map(({ id }) => id),
    ...Object.fromEntries(values),
  })
}

const textOf = (text: Text) => (typeof text === 'string' ? text : JSON.stringify(text))

/** Touches of hits, all versions of them. */
export const touchesOfHits = query({
  name: 'touches_of_hits',
  params: z.object({ profile: z.uuid(), hits: z.array(z.uuid()) }),
  row: z.object({ id: z.string(), version: z.string(), reference: z.string() }),
  sql: `
SELECT toString(touch_id) AS id, toString(version) AS version, toString(reference) AS reference FROM touches
WHERE profile_id = {profile:UUID} AND touch_id IN {hits:Array(UUID)} AND NOT is_synthetic`,
})

/** Touches whose texts were rewritten say otherwise what they say of their ad: a view sees inserts alone. */
export const learnReferences = statement({
  name: 'learn_references',
  params: z.object({ profile: z.uuid(), touches: z.array(z.uuid()) }),
  sql: `
INSERT INTO touch_references
SELECT DISTINCT profile_id, reference, campaign_ref, ad_set_ref, ad_ref, utm['campaign'], utm['id'], utm['term'],
  utm['content']
FROM touches WHERE profile_id = {profile:UUID} AND touch_id IN {touches:Array(UUID)} AND reference != 0`,
})

export const forgetReferences = statement({
  name: 'forget_references',
  params: z.object({ profile: z.uuid(), references: z.array(z.string()) }),
  sql: `
ALTER TABLE touch_references DELETE
WHERE profile_id = {profile:UUID} AND reference IN (SELECT toUInt64(arrayJoin({references:Array(String)})))
SETTINGS mutations_sync = 1`,
})
