import type pg from 'pg'
import { dropGeneration, listGenerations } from '../../clickhouse/generations.ts'
import { codeOf } from '../../infra/error-code.ts'
import {
  completeReplay,
  failReplay,
  nextGeneration,
  type Replay,
  type ReplayProgress,
  releaseReplayLock,
  startReplay,
  takeReplayLock,
  takeUpReplay,
  unfinishedReplay,
} from '../../postgres/stores/replays.ts'
import { liveGeneration } from '../../postgres/stores/warehouse.ts'
import type { MovedCredit } from './compare.ts'
import type { ReplayDeps } from './deps.ts'
import { feedGroups, liveMarksGroup } from './feed.ts'
import { replayFull } from './full.ts'
import { insistent } from './insist.ts'
import { partialName, replayPartial } from './partial.ts'
import { reportProgress } from './progress.ts'

export interface ReplayRequest {
  profileId: string | null
  from: Date | null
  isDryRun: boolean
  /** Leaves a dry run's generation standing, to be looked at. */
  isKept?: boolean | undefined
}

export interface ReplayResult {
  replay: Replay
  progress: ReplayProgress
  /** What a dry run found. */
  moved: MovedCredit[] | undefined
}

/** Why a replay was not begun, in a sentence. */
export class ReplayRefused extends Error {}

/** Begins a replay, or takes up the one that was interrupted. One at a time. */
export const runReplay = (deps: ReplayDeps, request: ReplayRequest): Promise<ReplayResult> =>
  alone(deps, async (signal) => {
    const { postgres, admin, clickhouseUrl } = deps
    const replay = (await takeUp(postgres, request)) ?? (await begin(postgres, request))
    const report = reportProgress(postgres, replay, deps.onProgress)
    const own = { ...deps, signal }
    const insist = insistent(own)
    try {
      let moved: MovedCredit[] | undefined
      if (replay.kind === 'full') moved = await replayFull(own, replay, report)
      else await replayPartial(own, replay, report)
      if (replay.isDryRun && !request.isKept) await insist(() => dropGeneration(clickhouseUrl, replay.generation!))
      await insist(() => completeReplay(postgres, replay.id))
      await insist(() => admin.deleteGroups(groupsOf(replay)))
      return { replay, progress: report.current(), moved }
    } catch (error) {
      const code = deps.signal.aborted ? 'interrupted' : codeOf(error)
      await failReplay(postgres, replay.id, code).catch(() => {})
      throw error
    }
  })

/** Gives an interrupted replay up; the live generation is as it was. */
export const abandonReplay = (deps: Pick<ReplayDeps, 'postgres' | 'admin' | 'clickhouseUrl' | 'signal'>) =>
  alone(deps, async (): Promise<Replay> => {
    const { postgres, admin, clickhouseUrl } = deps
    const replay = await unfinishedReplay(postgres)
    if (!replay) throw new ReplayRefused('there is no interrupted replay.')
    if (replay.flippedAt) {
      throw new ReplayRefused('its generation is live already: run "touchline replay" once more to finish it.')
    }
    if (replay.kind === 'full') await dropGeneration(clickhouseUrl, replay.generation!)
    await failReplay(postgres, replay.id, 'abandoned', true)
    await admin.deleteGroups(groupsOf(replay))
    return replay
  })

/** Drops the generations that earlier replays left for a way back. */
export const dropOldGenerations = (deps: Pick<ReplayDeps, 'postgres' | 'clickhouseUrl' | 'signal'>) =>
  alone(deps, async (): Promise<number[]> => {
    const [live, unfinished] = [await liveGeneration(deps.postgres), await unfinishedReplay(deps.postgres)]
    const old = (await listGenerations(deps.clickhouseUrl)).filter(
      (generation) => generation !== live && generation !== unfinished?.generation,
    )
    for (const generation of old) await dropGeneration(deps.clickhouseUrl, generation)
    return old
  })

function groupsOf(replay: Replay): string[] {
  const name = replay.kind === 'full' ? String(replay.generation) : partialName(replay)
  return [...feedGroups(name), liveMarksGroup(name)].map(({ group }) => group)
}

async function takeUp(postgres: pg.Pool, request: ReplayRequest): Promise<Replay | undefined> {
  const replay = await unfinishedReplay(postgres)
  if (!replay) return undefined
  const isSame =
    replay.profileId === request.profileId &&
    replay.isDryRun === request.isDryRun &&
    replay.from?.getTime() === request.from?.getTime()
  if (!isSame) {
    throw new ReplayRefused(
      `${describe(replay)} was interrupted: finish it with the command that began it, ` +
        'or give it up with "touchline replay --abandon".',
    )
  }
  await takeUpReplay(postgres, replay.id)
  return replay
}

async function begin(postgres: pg.Pool, { profileId, from, isDryRun }: ReplayRequest): Promise<Replay> {
  const kind = isDryRun || (!profileId && !from) ? 'full' : 'partial'
  const generation = kind === 'full' ? await nextGeneration(postgres) : await liveGeneration(postgres)
  return startReplay(postgres, { kind, profileId, from, isDryRun, generation })
}

const describe = ({ kind, profileId, from, isDryRun }: Replay) =>
  [
    `a ${isDryRun ? 'dry run' : `${kind} replay`}`,
    profileId && `of profile ${profileId}`,
    from && `from ${from.toISOString()}`,
  ]
    .filter(Boolean)
    .join(' ')

/** Under the lock that one replay holds at a time; it goes with the connection, so a kill leaves nothing to clear up. */
async function alone<T>(
  { postgres, signal }: Pick<ReplayDeps, 'postgres' | 'signal'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = await postgres.connect()
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  try {
    if (!(await takeReplayLock(client))) {
      throw new ReplayRefused('another replay is running: wait for it, or stop it first.')
    }
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    await releaseReplayLock(client).catch(() => {})
    client.release(lost.signal.aborted)
  }
}
