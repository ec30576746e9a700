import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Warehouse } from '../../clickhouse/client.ts'
import { forgetContent, sweepLeftovers } from '../../clickhouse/replay/rewrite.ts'
import { countScope, dirtyScope, newestDerived } from '../../clickhouse/replay/scope.ts'
import { noId } from '../../domain/ids.ts'
import type { Admin } from '../../infra/kafka/admin.ts'
import { groupOf, topics } from '../../schemas/topics.ts'
import { limits, slicesOf } from '../attribution/pack-profiles.ts'
import { derive, recomputeSubjects } from '../attribution/recompute.ts'
import { versionOf } from '../runner/pipeline.ts'
import type { Marks } from './marks.ts'

interface DeriveOptions {
  warehouse: Warehouse
  admin: Admin
  signal: AbortSignal
  /** Null is everybody. */
  profile: string | null
  onSlice?: ((done: number, total: number) => void) | undefined
}

/** Above every offset: a replay's version wins over live recomputes of the same millisecond. */
const afterOffsets = 1n << 63n

/** Derives everything in scope again, in slices that fit into memory; writes what differs from what stands there. */
export async function deriveScope(options: DeriveOptions): Promise<void> {
  await deriveSlices(options, await nextVersion(options))
}

/** The same, but everything is written anew, and what nothing leads to any more gets a tombstone. */
export async function rewriteScope(options: DeriveOptions): Promise<void> {
  const { warehouse, profile } = options
  const forgotten = await nextVersion(options)
  for (const statement of forgetContent(scopeOf(profile))) {
    await warehouse.execute(statement, { profile: profile ?? noId, version: forgotten.toString() })
  }
  const version = (await nextVersion(options)) + 1n
  await deriveSlices(options, version)
  for (const statement of sweepLeftovers(scopeOf(profile))) {
    await warehouse.execute(statement, { profile: profile ?? noId, version: version.toString() })
  }
}

export async function deriveMarks(options: Omit<DeriveOptions, 'profile' | 'onSlice'>, marks: Marks): Promise<void> {
  const { warehouse } = options
  const version = await nextVersion({ ...options, profile: null })
  for (const [profile, subjects] of marks) {
    if (subjects === 'all') await deriveSlices({ ...options, profile }, version)
    else
      await recomputeSubjects(
        warehouse,
        [...subjects].map((subject_id) => ({ profile_id: profile, subject_id, version })),
      )
  }
}

async function deriveSlices({ warehouse, profile, signal, onSlice }: DeriveOptions, version: bigint): Promise<void> {
  const scope = scopeOf(profile)
  const bound = { profile: profile ?? noId }
  const [counted] = await warehouse.run(countScope(scope), bound)
  const { subjects, hits } = counted!
  const runs = Math.max(1, Math.ceil(subjects / limits.subjectsPerRun))
  // Hits stand for the touches that they may become.
  const slices = slicesOf(subjects / runs, hits / runs)
  // Touches of each slice first, then its credit.
  const total = 2 * runs * slices
  let done = 0
  onSlice?.(done, total)
  for (let share = 0; share < runs; share++) {
    signal.throwIfAborted()
    const run = randomUUID()
    // A customer that an earlier run met half-derived, through an outcome that moved, is written again here.
    const runVersion = (version + BigInt(share)).toString()
    await warehouse.execute(dirtyScope(scope), { ...bound, run, version: runVersion, share, shares: runs })
    const onStep = () => {
      signal.throwIfAborted()
      onSlice?.(++done, total)
    }
    await derive(warehouse, run, { slices, onStep })
  }
  onSlice?.(total, total)
}

/**
 * Above every version that stands or that a live recompute which began by now can write, below those of messages yet
 * to come: the time is the broker's, from the messages whose versions live recomputes carry, so no clock of ours counts.
 */
async function nextVersion({ warehouse, admin, profile }: DeriveOptions): Promise<bigint> {
  const [standing] = await warehouse.run(newestDerived(scopeOf(profile)), { profile: profile ?? noId })
  const newest = await admin.newestTimestamp(topics.dirtyCustomers.name)
  const told = versionOf(newest, afterOffsets)
  const next = (standing?.version ?? 0n) + 1n
  const above = versionOf(next >> 64n, afterOffsets)
  const own = next > above ? next : above
  return own > told ? own : told
}

/**
 * Returns when every live recompute that had begun is through: one that read older facts must not write after us.
 * Where nothing consumes there is nothing under way; it is not waited for longer than a recompute may take.
 */
export async function awaitLiveRecomputes(admin: Admin, signal: AbortSignal, longestMs = 120_000): Promise<void> {
  const topic = topics.dirtyCustomers.name
  const ends = (await admin.endOffsets([topic])).get(topic)!
  const deadline = Date.now() + longestMs
  while (Date.now() < deadline) {
    const lags = await admin.lag([{ group: groupOf(topic), topic }])
    if (lags.every(({ partition, committed }) => committed >= (ends.get(partition) ?? 0n))) return
    await sleep(200, undefined, { signal })
  }
}

const scopeOf = (profile: string | null) => (profile ? 'profile' : 'everything')
