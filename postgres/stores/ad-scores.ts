import type pg from 'pg'
import type { OutcomeKind, TruthGrade } from '../../domain/performers/grades.ts'
import type { ScoreWindow } from '../../domain/performers/windows.ts'
import { type Sql, transaction } from '../client.ts'
import { lockIds } from '../lock-ids.ts'

/** Held as long as the connection lives: a process that is killed lets go of it. False when another holds it. */
export async function takeScoringLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lockIds.scoring])
  return rows[0]!.taken
}

export async function releaseScoringLock(client: pg.PoolClient): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [lockIds.scoring])
}

export interface Advertiser {
  profileId: string
  /** All that the profile ever had. */
  ads: number
}

export interface ScoreProfile {
  id: string
  timezone: string
  currency: string
  ads: number
}

export interface ScoreState extends ScoreProfile {
  /**
   * Windows whose ranking stands, with its last day. One that is older than the newest replay of the profile does not,
   * nor one that lacks ads which came since, as those of an account that has just been connected do.
   */
  throughDays: Partial<Record<ScoreWindow, string>>
}

/** New ads are let gather for this long, and credit to be in a new currency. */
const newAdsWait = '10 minutes'

/** How far these profiles' rankings are; archived profiles are left out. */
export async function scoreStates(sql: Sql, advertisers: readonly Advertiser[]): Promise<ScoreState[]> {
  const { rows } = await sql.query<ScoreState>(
    `SELECT p.id, p.timezone, p.reporting_currency AS currency, a.ads,
       coalesce(jsonb_object_agg(r.score_window, r.through_day) FILTER (WHERE r.score_window IS NOT NULL), '{}') AS "throughDays"
     FROM profiles p
     JOIN unnest($1::uuid[], $2::integer[]) AS a (profile_id, ads) ON a.profile_id = p.id
     LEFT JOIN ad_score_runs r ON r.profile_id = p.id
       AND (r.known_ads >= a.ads OR r.scored_at > now() - $3::interval)
       AND NOT EXISTS (
         SELECT FROM replays WHERE finished_at > r.scored_at AND status = 'completed' AND NOT is_dry_run
           AND kind <> 'rejected' AND (profile_id IS NULL OR profile_id = p.id))
     WHERE p.archived_at IS NULL
     GROUP BY p.id, a.ads ORDER BY p.id`,
    [advertisers.map(({ profileId }) => profileId), advertisers.map(({ ads }) => ads), newAdsWait],
  )
  return rows
}

export interface AdScoreRow {
  rank: number
  spend: number
  objective: string
  format: string
  is_video: boolean
  truth_grade: TruthGrade
  outcome_kind: OutcomeKind
  ad: object
}

export interface Ranking {
  profileId: string
  window: ScoreWindow
  throughDay: string
  scoredAt: Date
  knownAds: number
  /** What its amounts are in. */
  currency: string
  rows: readonly AdScoreRow[]
}

const chunk = 2000

/**
 * Readers see the ranking that stood until the new one is there in whole. False when a newer one stands already, or when the
 * profile reports in another currency by now.
 */
export async function replaceRanking(pool: pg.Pool, ranking: Ranking): Promise<boolean> {
  const { profileId, window, throughDay, scoredAt, knownAds, currency, rows } = ranking
  return transaction(pool, async (tx) => {
    // First, and whoever comes second waits here: two rankings of one window are written one after the other.
    const { rowCount } = await tx.query(
      `INSERT INTO ad_score_runs AS r (profile_id, score_window, through_day, n_ads, known_ads, scored_at)
       SELECT id, $2, $3, $4, $5, $6 FROM profiles WHERE id = $1 AND reporting_currency = $7
       ON CONFLICT (profile_id, score_window) DO UPDATE
         SET through_day = excluded.through_day, n_ads = excluded.n_ads, known_ads = excluded.known_ads,
           scored_at = excluded.scored_at
         WHERE r.scored_at <= excluded.scored_at`,
      [profileId, window, throughDay, rows.length, knownAds, scoredAt, currency],
    )
    if (rowCount === 0) return false
    await tx.query('DELETE FROM ad_scores WHERE profile_id = $1 AND score_window = $2', [profileId, window])
    for (let at = 0; at < rows.length; at += chunk) {
      await tx.query(
        `INSERT INTO ad_scores (profile_id, score_window, rank, spend, objective, format, is_video, truth_grade, outcome_kind, ad)
         SELECT $1, $2, r.* FROM jsonb_to_recordset($3::jsonb) AS r (rank integer, spend double precision, objective text,
           format text, is_video boolean, truth_grade text, outcome_kind text, ad jsonb)`,
        [profileId, window, JSON.stringify(rows.slice(at, at + chunk))],
      )
    }
    return true
  })
}

/** None stands any more; after a while they are made anew. */
export async function forgetRankings(sql: Sql, profileId: string): Promise<void> {
  await sql.query('UPDATE ad_score_runs SET n_ads = 0, known_ads = -1, scored_at = now() WHERE profile_id = $1', [
    profileId,
  ])
  await sql.query('DELETE FROM ad_scores WHERE profile_id = $1', [profileId])
}

export interface PerformerFilter {
  window: ScoreWindow
  limit: number
  minSpend?: number | undefined
  objectives?: readonly string[] | undefined
  formats?: readonly string[] | undefined
  truthGrades?: readonly string[] | undefined
  outcomeKinds?: readonly string[] | undefined
  isVideo?: boolean | undefined
}

/** The best of a window that pass the filter, in order. */
export async function topPerformers(sql: Sql, profileId: string, filter: PerformerFilter): Promise<unknown[]> {
  const { rows } = await sql.query<{ ad: unknown }>(
    `SELECT ad FROM ad_scores
     WHERE profile_id = $1 AND score_window = $2
       AND ($3::float8 IS NULL OR spend >= $3)
       AND ($4::text[] IS NULL OR objective = ANY($4))
       AND ($5::text[] IS NULL OR format = ANY($5))
       AND ($6::text[] IS NULL OR truth_grade = ANY($6))
       AND ($7::text[] IS NULL OR outcome_kind = ANY($7))
       AND ($8::boolean IS NULL OR is_video = $8)
     ORDER BY rank LIMIT $9`,
    [
      profileId,
      filter.window,
      filter.minSpend,
      filter.objectives,
      filter.formats,
      filter.truthGrades,
      filter.outcomeKinds,
      filter.isVideo,
      filter.limit,
    ],
  )
  return rows.map(({ ad }) => ad)
}

/** When the window was ranked last, and up to which day; nothing when it never was. */
export async function lastRanking(
  sql: Sql,
  profileId: string,
  window: ScoreWindow,
): Promise<{ scoredAt: Date; throughDay: string } | undefined> {
  const { rows } = await sql.query<{ scoredAt: Date; throughDay: string }>(
    `SELECT scored_at AS "scoredAt", through_day::text AS "throughDay" FROM ad_score_runs
     WHERE profile_id = $1 AND score_window = $2 AND known_ads >= 0`,
    [profileId, window],
  )
  return rows[0]
}
