import { noId } from '../../domain/ids.ts'
import type { Sql } from '../client.ts'

/** What a column reads now: a text, the tags of a click, or a list. */
export type ErasedText = string | string[] | Record<string, string>

/** A row of the warehouse, and what those of its columns read in which an erased identifier stood. */
export interface ErasedRow {
  id: string
  version: string
  columns: Record<string, ErasedText>
}

/** Keeps them for replays. A row of which another person was erased before keeps both changes. */
export async function keepErasedTexts(sql: Sql, profileId: string, fact: string, rows: ErasedRow[]): Promise<void> {
  await sql.query(
    `INSERT INTO erased_texts AS e (profile_id, fact, row_id, version, columns)
     SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[], $5::json[])
     ON CONFLICT (profile_id, fact, row_id, version) DO UPDATE SET columns = (e.columns::jsonb || excluded.columns::jsonb)::json`,
    [
      profileId,
      fact,
      rows.map(({ id }) => id),
      rows.map(({ version }) => version),
      rows.map(({ columns }) => JSON.stringify(columns)),
    ],
  )
}

const pageSize = 5000

/** Everything that is kept, of one profile or of all, in pages of one profile and fact each. */
export async function eachErasedTexts(
  sql: Sql,
  profileId: string | null,
  onPage: (profileId: string, fact: string, rows: ErasedRow[]) => Promise<void>,
): Promise<void> {
  for (let after = [noId, '', noId, '']; ; ) {
    const { rows } = await sql.query<ErasedRow & { profileId: string; fact: string }>(
      `SELECT profile_id AS "profileId", fact, row_id AS id, version, columns FROM erased_texts
       WHERE (profile_id, fact, row_id, version) > ($1, $2, $3, $4) AND ($5::uuid IS NULL OR profile_id = $5)
       ORDER BY profile_id, fact, row_id, version LIMIT $6`,
      [...after, profileId, pageSize],
    )
    for (const [profile, own] of Map.groupBy(rows, (row) => row.profileId)) {
      for (const [fact, some] of Map.groupBy(own, (row) => row.fact)) {
        await onPage(
          profile,
          fact,
          some.map(({ id, version, columns }) => ({ id, version, columns })),
        )
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    after = [last.profileId, last.fact, last.id, last.version]
  }
}
