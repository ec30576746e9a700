import { connectClickhouse } from '../../clickhouse/client.ts'
import { generationDatabase } from '../../clickhouse/generations.ts'
import type { Replay } from '../../postgres/stores/replays.ts'
import { eraseTextsAgain } from '../erased-texts.ts'
import { copyIdentity } from './copy-identity.ts'
import type { ReplayDeps } from './deps.ts'
import { awaitLiveRecomputes, deriveScope, rewriteScope } from './derive.ts'
import { feedGroups, startFeed } from './feed.ts'
import { insistent } from './insist.ts'
import type { ProgressReport } from './progress.ts'

export const partialName = (replay: Replay) => `p${replay.id.slice(0, 8)}`

/** Reads a profile's messages, or all since a time, into the live generation once more and derives everything anew. */
export async function replayPartial(deps: ReplayDeps, replay: Replay, report: ProgressReport): Promise<void> {
  const { clickhouseUrl, postgres, admin, signal } = deps
  const { profileId: profile } = replay
  const database = generationDatabase(replay.generation!)
  const name = partialName(replay)
  const insist = insistent(deps)
  const { from } = replay
  if (from) await insist(() => startAt(deps, name, from))
  const warehouse = connectClickhouse({ url: clickhouseUrl, database: () => database, requestTimeoutMs: 600_000 })
  const feed = await startFeed(deps, { warehouse, name, profile })
  const work = { warehouse, admin, signal, profile }
  const enter = (phase: string) => insist(() => report.phase(phase))
  try {
    await enter('reading')
    await insist(() => feed.reachEnds(report.messages))
    await insist(() => eraseTextsAgain({ postgres, warehouse }, profile))
    await enter('deriving')
    await insist(() => copyIdentity(postgres, warehouse, feed.marks, { profile, signal }))
    await insist(() => awaitLiveRecomputes(admin, signal))
    await insist(() => rewriteScope({ ...work, onSlice: report.slices }))
    await enter('settling')
    // A live recompute that found everything as it should be just before we wrote from older facts: look once more.
    await insist(() => awaitLiveRecomputes(admin, signal))
    await insist(() => deriveScope(work))
  } finally {
    await feed.stop()
    await warehouse.close()
  }
}

/** Groups that have committed nothing begin at the time that was asked for. */
async function startAt({ admin }: ReplayDeps, name: string, from: Date): Promise<void> {
  const groups = feedGroups(name)
  const starts = await admin.offsetsAt(
    groups.map(({ topic }) => topic),
    from.getTime(),
  )
  for (const { group, topic } of groups) {
    const committed = await admin.committedOffsets(group, topic)
    if (committed.size === 0) await admin.moveGroup(group, topic, starts.get(topic)!)
  }
}
