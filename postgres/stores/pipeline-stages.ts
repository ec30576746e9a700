import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { isNewerName, observeStage, type StageMeaning } from '../../domain/pipeline-stages.ts'
import { topics } from '../../schemas/topics.ts'
import { type Sql, transaction } from '../client.ts'
import { enqueue } from './outbox.ts'

export interface StageRef {
  profileId: string
  provider: string
  pipeline: string
  stageId: string
}

/** A deal was in this stage, under this name. */
export interface SeenStage extends StageRef {
  name: string
  namedAt: number
}

export interface PipelineStage extends StageRef, StageMeaning {
  id: string
  version: number
}

export interface StageStore {
  /** Records stages that are new or have a newer name, and tells the stream what they mean. */
  observe(seen: readonly SeenStage[]): Promise<void>
}

/** Of a profile. A CRM has dozens; who sends a text of its own with every deal has no stages, and these count as nothing. */
export const mostStages = 1_000

const columns = `s.id, s.profile_id AS "profileId", s.provider, s.pipeline, s.stage_id AS "stageId", s.name,
  (extract(epoch FROM s.named_at) * 1000)::float8 AS "namedAt", s.event_key AS "eventKey", s.source,
  s.version::int AS version`

export function stageStore(pool: pg.Pool): StageStore {
  // What is known to stand here or higher already; forgetting costs a look.
  const known = new LRUCache<string, SeenStage>({ max: 50_000 })
  return {
    async observe(seen) {
      const newest = new Map<string, SeenStage>()
      for (const one of seen) {
        const key = keyOf(one)
        if (isNewerName(one, known.get(key)) && isNewerName(one, newest.get(key))) newest.set(key, one)
      }
      if (newest.size === 0) return
      await transaction(pool, (tx) => recordStages(tx, [...newest.values()]))
      for (const [key, one] of newest) known.set(key, one)
    },
  }
}

const keyOf = ({ profileId, provider, pipeline, stageId }: StageRef) =>
  JSON.stringify([profileId, provider, pipeline, stageId])

async function recordStages(tx: pg.PoolClient, seen: SeenStage[]): Promise<void> {
  await lock(tx, [...new Set(seen.map(({ profileId }) => profileId))])
  const standing = new Map((await standingStages(tx, seen)).map((row) => [keyOf(row), row]))
  const room = await roomFor(
    tx,
    seen.filter((one) => !standing.has(keyOf(one))),
  )
  for (const one of seen) {
    const before = standing.get(keyOf(one))
    const meaning = observeStage(before, one)
    if (meaning === before || (!before && !room(one))) continue
    await write(tx, { ...one, ...meaning }, before)
  }
}

/**
 * Of new stages, as many as a profile has room for: each costs a derivation of the profile. One that Postgres does not know
 * has none, as after it was set back to a copy that is older than the topics: its deals must not hold up all others.
 */
async function roomFor(tx: pg.PoolClient, found: readonly SeenStage[]): Promise<(stage: SeenStage) => boolean> {
  if (found.length === 0) return () => false
  const { rows } = await tx.query<{ profileId: string; stages: number }>(
    `SELECT p.id AS "profileId", count(s.id)::int AS stages FROM profiles p LEFT JOIN pipeline_stages s ON s.profile_id = p.id
     WHERE p.id = ANY($1) GROUP BY p.id`,
    [[...new Set(found.map(({ profileId }) => profileId))]],
  )
  const taken = new Map(rows.map(({ profileId, stages }) => [profileId, stages]))
  return ({ profileId }) => {
    const stages = taken.get(profileId)
    if (stages === undefined) return false
    taken.set(profileId, stages + 1)
    return stages < mostStages
  }
}

async function standingStages(sql: Sql, refs: readonly StageRef[]): Promise<PipelineStage[]> {
  const { rows } = await sql.query<PipelineStage>(
    `SELECT ${columns} FROM pipeline_stages s
     JOIN unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS asked (profile_id, provider, pipeline, stage_id)
       USING (profile_id, provider, pipeline, stage_id)`,
    [
      refs.map(({ profileId }) => profileId),
      refs.map(({ provider }) => provider),
      refs.map(({ pipeline }) => pipeline),
      refs.map(({ stageId }) => stageId),
    ],
  )
  return rows
}

/** Deals in the stage count as this from now on, because a user said so; it may be said before the first one is seen. */
export async function mapStage(tx: pg.PoolClient, ref: StageRef, eventKey: string): Promise<PipelineStage> {
  await lock(tx, [ref.profileId])
  const [before] = await standingStages(tx, [ref])
  if (before?.source === 'user' && before.eventKey === eventKey) return before
  await write(tx, { ...ref, name: ref.stageId, namedAt: 0, ...before, eventKey, source: 'user' }, before)
  return (await standingStages(tx, [ref]))[0]!
}

/** One change of a profile's stages at a time, so that versions and messages come in the same order. */
const lock = (tx: pg.PoolClient, profileIds: string[]) =>
  tx.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('stages/' || profile_id, 0))
     FROM (SELECT unnest($1::text[]) AS profile_id ORDER BY 1) AS profiles`,
    [profileIds],
  )

/** The stage and its message, both or neither; a newer time of the same name is news to nobody. */
async function write(
  tx: pg.PoolClient,
  stage: StageRef & StageMeaning,
  before: PipelineStage | undefined,
): Promise<void> {
  const { profileId, provider, pipeline, stageId, name, namedAt, eventKey, source } = stage
  const isNews = before?.name !== name || before.eventKey !== eventKey || before.source !== source
  const version = (before?.version ?? 0) + (isNews ? 1 : 0)
  await tx.query(
    `INSERT INTO pipeline_stages (profile_id, provider, pipeline, stage_id, name, named_at, event_key, source, version)
     VALUES ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), $7, $8, $9)
     ON CONFLICT (profile_id, provider, pipeline, stage_id) DO UPDATE SET name = excluded.name,
       named_at = excluded.named_at, event_key = excluded.event_key, source = excluded.source,
       version = excluded.version, updated_at = now()`,
    [profileId, provider, pipeline, stageId, name, namedAt, eventKey, source, version],
  )
  if (!isNews) return
  await enqueue(tx, topics.settings, {
    profile_id: profileId,
    version,
    value: {
      'touchline.StageSetting': { provider, pipeline, stage_id: stageId, name, event_key: eventKey, source },
    },
  })
}

/** Of one CRM or of all, pipeline by pipeline. */
export async function listStages(sql: Sql, profileId: string, provider?: string): Promise<PipelineStage[]> {
  const { rows } = await sql.query<PipelineStage>(
    `SELECT ${columns} FROM pipeline_stages s WHERE s.profile_id = $1 AND ($2::text IS NULL OR s.provider = $2)
     ORDER BY s.provider, s.pipeline, s.name, s.stage_id`,
    [profileId, provider],
  )
  return rows
}

export async function findStage(sql: Sql, profileId: string, id: string): Promise<PipelineStage | undefined> {
  const { rows } = await sql.query<PipelineStage>(
    `SELECT ${columns} FROM pipeline_stages s WHERE s.profile_id = $1 AND s.id = $2`,
    [profileId, id],
  )
  return rows[0]
}
