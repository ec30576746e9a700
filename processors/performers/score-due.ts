import type { Logger } from 'pino'
import { profilesWithAds } from '../../clickhouse/queries/profiles-with-ads.ts'
import { lastClosedDay, type ScoreWindow, scoreWindows } from '../../domain/performers/windows.ts'
import { codeOf } from '../../infra/error-code.ts'
import { releaseScoringLock, type ScoreState, scoreStates, takeScoringLock } from '../../postgres/stores/ad-scores.ts'
import { poll } from '../runner/poll.ts'
import type { Running } from '../runner/run.ts'
import { type ScoreDeps, scoreWindow } from './score-profile.ts'

export interface ScorerDeps extends ScoreDeps {
  logger?: Logger | undefined
  clock?: () => number
}

const lookEveryMs = 60_000

/** Rebuilds rankings once a day, each profile's when its own day is closed. */
export function runScorer(deps: ScorerDeps): Running {
  const stopping = new AbortController()
  const running = poll({
    name: 'top-performers',
    work: async () => {
      await scoreDue(deps, stopping.signal)
      return { hasMore: false }
    },
    logger: deps.logger,
    idleMs: lookEveryMs,
    // Yesterday's ranking is no reason to stop the pipeline.
    maxElapsedMs: Number.POSITIVE_INFINITY,
  })
  return {
    done: running.done,
    stop: () => {
      stopping.abort()
      return running.stop()
    },
  }
}

/**
 * Ranks every window that lacks the newest closed day, and answers with how many. One process at a time; what one has
 * finished is recorded with its ranking, so that another goes on from there after a crash.
 */
export async function scoreDue(deps: ScorerDeps, signal?: AbortSignal): Promise<number> {
  const { postgres, warehouse, logger, clock = Date.now } = deps
  const lock = await postgres.connect()
  let broken: Error | undefined
  try {
    if (!(await takeScoringLock(lock))) return 0
    const states = await scoreStates(postgres, await warehouse.run(profilesWithAds, {}))
    let scored = 0
    for (const profile of states) {
      try {
        for (const { window, throughDay } of dueWindows(profile, clock())) {
          if (signal?.aborted) return scored
          await scoreWindow(deps, profile, window, throughDay)
          scored++
        }
      } catch (error) {
        // One profile that cannot be ranked keeps no other from its ranking; it is tried again with the next look.
        logger?.error({ profile: profile.id, code: codeOf(error) }, 'ads could not be ranked')
      }
    }
    return scored
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    if (!broken) await releaseScoringLock(lock).catch((error: Error) => (broken = error))
    lock.release(broken)
  }
}

export function dueWindows(state: ScoreState, now: number): { window: ScoreWindow; throughDay: string }[] {
  const throughDay = lastClosedDay(now, state.timezone)
  return scoreWindows
    .filter((window) => (state.throughDays[window] ?? '') < throughDay)
    .map((window) => ({ window, throughDay }))
}
