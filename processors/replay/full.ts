import { setTimeout as sleep } from 'node:timers/promises'
import { connectClickhouse } from '../../clickhouse/client.ts'
import { dropGeneration, generationDatabase, listGenerations } from '../../clickhouse/generations.ts'
import { migrateClickhouse } from '../../clickhouse/migrate.ts'
import { publishViews } from '../../clickhouse/views.ts'
import { flip, type Replay } from '../../postgres/stores/replays.ts'
import { liveGeneration, warehouseLeaseMs } from '../../postgres/stores/warehouse.ts'
import { eraseTextsAgain } from '../erased-texts.ts'
import { compareCredit, type MovedCredit } from './compare.ts'
import { copyIdentity } from './copy-identity.ts'
import type { ReplayDeps } from './deps.ts'
import { awaitLiveRecomputes, deriveMarks, deriveScope } from './derive.ts'
import { startFeed } from './feed.ts'
import { insistent } from './insist.ts'
import { countMarks, type Marks } from './marks.ts'
import type { ProgressReport } from './progress.ts'

/** Dirty subjects that are derived within moments. */
const fewMarks = 2000
const maxRounds = 8

/**
 * Fills a fresh generation beside the live one, from the first message that is kept, and makes it the live one.
 *
 * Nothing is lost on the way. Until the flip, live processing writes to the old generation and the replay reads the
 * same messages into the new one. After it, a process goes on with the old one until it has seen the flip, at most for
 * its lease. When that is over for everybody, every message that any process may have stored in the old generation is
 * in the topics, and the replay reads up to their ends of that moment; later ones are stored in the new generation by
 * live processing. Facts carry their message's version, so what both store is stored once. Identity is compared with
 * Postgres once more. Whatever the replay stored and whatever live processing marked since everything was derived is
 * derived again at the end, with a version above all recomputes that may have seen less: a recompute that was done in
 * the old generation, or half in each, is made good (docs/decisions/0030-replay.md).
 */
export async function replayFull(
  deps: ReplayDeps,
  replay: Replay,
  report: ProgressReport,
): Promise<MovedCredit[] | undefined> {
  const { clickhouseUrl, postgres, admin, signal } = deps
  const { profileId: profile } = replay
  const generation = replay.generation!
  const database = generationDatabase(generation)
  const insist = insistent(deps)
  if (!replay.flippedAt) await insist(() => dropOthers(deps, generation))
  await insist(() => migrateClickhouse(clickhouseUrl, database))
  const warehouse = connectClickhouse({ url: clickhouseUrl, database: () => database, requestTimeoutMs: 600_000 })
  const feed = await insist(() => startFeed(deps, { warehouse, name: String(generation), profile, followsLive: true }))
  const work = { warehouse, admin, signal }
  const enter = (phase: string) => insist(() => report.phase(phase))
  const read = () => insist(() => feed.reachEnds(report.messages))
  const identify = () => insist(() => copyIdentity(postgres, warehouse, feed.marks, { profile, signal }))
  const erase = () => insist(() => eraseTextsAgain({ postgres, warehouse }, profile))
  const settleLive = () => insist(() => awaitLiveRecomputes(admin, signal))
  const deriveMarked = (marks: Marks) => insist(() => deriveMarks(work, marks))
  try {
    if (!replay.flippedAt) {
      await enter('reading')
      await read()
      await erase()
      await enter('deriving')
      await identify()
      // All that was stored by now is derived with everything else.
      feed.marks.take()
      await insist(() => deriveScope({ ...work, profile, onSlice: report.slices }))
      await enter('catching up')
      await identify()
      // Each round is shorter than the one before, as long as deriving is faster than living.
      for (let round = 0, isMuch = true; isMuch && round < maxRounds; round++) {
        await read()
        const marks = feed.marks.take()
        await deriveMarked(marks)
        isMuch = countMarks(marks) > fewMarks
      }
      if (replay.isDryRun) {
        await settleLive()
        return await insist(async () => compareCredit(deps, await liveGeneration(postgres), warehouse, profile))
      }
      await insist(() => flip(postgres, replay.id))
    }
    await enter('settling')
    await insist(() => publishViews(clickhouseUrl, database))
    await sleep(warehouseLeaseMs + 500, undefined, { signal })
    await read()
    // Who was erased meanwhile may have been looked for in the old generation alone.
    await erase()
    await identify()
    const marks = feed.marks.take()
    // What had been marked before a crash is not known any more.
    const derive = () => (replay.flippedAt ? insist(() => deriveScope({ ...work, profile })) : deriveMarked(marks))
    await settleLive()
    await derive()
    // A live recompute that found everything as it should be just before we wrote from older facts: look once more.
    await settleLive()
    await derive()
    return undefined
  } finally {
    await feed.stop()
    await warehouse.close()
  }
}

/** Generations of earlier replays, kept until now for a way back. */
async function dropOthers({ clickhouseUrl, postgres }: ReplayDeps, own: number): Promise<void> {
  const live = await liveGeneration(postgres)
  for (const generation of await listGenerations(clickhouseUrl)) {
    if (generation !== live && generation !== own) await dropGeneration(clickhouseUrl, generation)
  }
}
