import type pg from 'pg'
import { type Sql, transaction } from '../client.ts'
import { lockIds } from '../lock-ids.ts'

export type ReplayKind = 'full' | 'partial' | 'rejected'
export type ReplayStatus = 'running' | 'flipped' | 'completed' | 'failed'

export interface Replay {
  id: string
  kind: ReplayKind
  profileId: string | null
  from: Date | null
  isDryRun: boolean
  status: ReplayStatus
  phase: string
  generation: number | null
  messagesDone: number
  messagesTotal: number
  slicesDone: number
  slicesTotal: number
  startedAt: Date
  flippedAt: Date | null
  finishedAt: Date | null
}

export interface ReplayProgress {
  phase?: string
  messagesDone?: number
  messagesTotal?: number
  slicesDone?: number
  slicesTotal?: number
}

const columns = `id, kind, profile_id AS "profileId", "from", is_dry_run AS "isDryRun", status, phase, generation,
  messages_done::float8 AS "messagesDone", messages_total::float8 AS "messagesTotal", slices_done AS "slicesDone",
  slices_total AS "slicesTotal", started_at AS "startedAt", flipped_at AS "flippedAt", finished_at AS "finishedAt"`

/** Held as long as the connection lives: a process that is killed lets go of it. False when another holds it. */
export async function takeReplayLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lockIds.replay])
  return rows[0]!.taken
}

export async function releaseReplayLock(client: pg.PoolClient): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [lockIds.replay])
}

export async function startReplay(
  sql: Sql,
  replay: Pick<Replay, 'kind' | 'profileId' | 'from' | 'isDryRun' | 'generation'>,
): Promise<Replay> {
  const { rows } = await sql.query<Replay>(
    `INSERT INTO replays (kind, profile_id, "from", is_dry_run, generation) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${columns}`,
    [replay.kind, replay.profileId, replay.from, replay.isDryRun, replay.generation],
  )
  return rows[0]!
}

/** The replay that was begun and neither finished nor abandoned; re-sent messages are no part of it. */
export async function unfinishedReplay(sql: Sql): Promise<Replay | undefined> {
  const { rows } = await sql.query<Replay>(
    `SELECT ${columns} FROM replays WHERE finished_at IS NULL AND kind <> 'rejected' ORDER BY started_at DESC LIMIT 1`,
  )
  return rows[0]
}

/** A generation's number is never used twice: its consumer groups and its database bear it. */
export async function nextGeneration(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ generation: number }>(
    `SELECT greatest((SELECT live_generation FROM warehouse),
       (SELECT coalesce(max(generation), 0) FROM replays)) + 1 AS generation`,
  )
  return rows[0]!.generation
}

export async function takeUpReplay(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `UPDATE replays SET status = CASE WHEN flipped_at IS NULL THEN 'running' ELSE 'flipped' END, error_code = NULL,
       updated_at = now() WHERE id = $1`,
    [id],
  )
}

export async function advanceReplay(sql: Sql, id: string, progress: ReplayProgress): Promise<void> {
  await sql.query(
    `UPDATE replays SET phase = coalesce($2, phase), messages_done = coalesce($3, messages_done),
       messages_total = coalesce($4, messages_total), slices_done = coalesce($5, slices_done),
       slices_total = coalesce($6, slices_total), updated_at = now() WHERE id = $1`,
    [id, progress.phase, progress.messagesDone, progress.messagesTotal, progress.slicesDone, progress.slicesTotal],
  )
}

/** Makes the replay's generation the live one: from here on everybody reads and writes it. */
export async function flip(pool: pg.Pool, id: string): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query(
      `UPDATE replays SET status = 'flipped', phase = 'settling', flipped_at = now(), updated_at = now() WHERE id = $1`,
      [id],
    )
    await tx.query('UPDATE warehouse SET live_generation = (SELECT generation FROM replays WHERE id = $1)', [id])
  })
}

/** Can be taken up again unless it is abandoned. */
export async function failReplay(sql: Sql, id: string, errorCode: string, isAbandoned = false): Promise<void> {
  await sql.query(
    `UPDATE replays SET status = 'failed', error_code = $2, updated_at = now(),
       finished_at = CASE WHEN $3 THEN now() END WHERE id = $1`,
    [id, errorCode, isAbandoned],
  )
}

/** Ends a replay and tells of it, once: each profile whose figures were derived again. A dry run tells nobody. */
export async function completeReplay(pool: pg.Pool, id: string): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<Replay>(
      `UPDATE replays SET status = 'completed', phase = 'done', error_code = NULL, updated_at = now(),
         finished_at = now(), messages_done = messages_total WHERE id = $1 AND finished_at IS NULL RETURNING ${columns}`,
      [id],
    )
    const [replay] = rows
    if (!replay || replay.isDryRun || replay.kind === 'rejected') return
    await tx.query(
      `INSERT INTO lifecycle_events (profile_id, type, data)
       SELECT id, 'recompute.completed',
         jsonb_build_object('replay_id', $1::uuid, 'kind', $2::text, 'from', $3::timestamptz, 'started_at', $4::timestamptz)
       FROM profiles WHERE ($5::uuid IS NULL OR id = $5) AND archived_at IS NULL`,
      [replay.id, replay.kind, replay.from, replay.startedAt, replay.profileId],
    )
  })
}

/** The most recent replay that concerns the figures of a profile. */
export async function latestReplay(sql: Sql, profileId: string): Promise<Replay | undefined> {
  const { rows } = await sql.query<Replay>(
    `SELECT ${columns} FROM replays
     WHERE (profile_id IS NULL OR profile_id = $1) AND NOT is_dry_run AND kind <> 'rejected'
     ORDER BY started_at DESC LIMIT 1`,
    [profileId],
  )
  return rows[0]
}

const readingShare = 0.7

/** Of the whole work, reading first, deriving then. */
export function replayPercent({ status, messagesDone, messagesTotal, slicesDone, slicesTotal }: Replay): number {
  if (status === 'completed') return 100
  const read = messagesTotal > 0 ? Math.min(1, messagesDone / messagesTotal) : 0
  const derived = slicesTotal > 0 ? Math.min(1, slicesDone / slicesTotal) : 0
  return Math.min(99, Math.floor(100 * (readingShare * read + (1 - readingShare) * derived)))
}
