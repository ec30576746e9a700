import type pg from 'pg'
import type { Warehouse } from '../../clickhouse/client.ts'
import { adEvidence } from '../../clickhouse/queries/ad-evidence.ts'
import type { Ranker } from '../../domain/performers/ranker.ts'
import { scoreAds } from '../../domain/performers/score-ads.ts'
import { type ScoreWindow, windowDays } from '../../domain/performers/windows.ts'
import { replaceRanking, type ScoreProfile } from '../../postgres/stores/ad-scores.ts'
import { toEvidence, toScoreRow } from './shown-ad.ts'

export interface ScoreDeps {
  postgres: pg.Pool
  warehouse: Warehouse
  /** A learned ranker that has beaten the rules (domain/performers/ranker.ts); none leaves the rules. */
  ranker?: Ranker | undefined
}

/** The costliest of a window are ranked, so that memory stays bounded whatever an account holds. */
const mostAds = 20_000

/** Ranks the ads of one window anew, and answers with how many there are. */
export async function scoreWindow(
  { postgres, warehouse, ranker }: ScoreDeps,
  profile: ScoreProfile,
  window: ScoreWindow,
  throughDay: string,
): Promise<number> {
  const scoredAt = new Date()
  const { id, currency } = profile
  const rows = await warehouse.run(adEvidence, {
    profile: id,
    most: mostAds,
    ...windowDays(window, throughDay),
  })
  const scored = scoreAds(
    rows.map((row) => toEvidence(row, currency)),
    ranker,
  )
  await replaceRanking(postgres, {
    profileId: id,
    window,
    throughDay,
    scoredAt,
    knownAds: profile.ads,
    currency,
    rows: scored.map((one) => toScoreRow(window, one)),
  })
  return scored.length
}
