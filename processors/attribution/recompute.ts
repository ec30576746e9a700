import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { crowdedCustomers, fewConversions } from '../../clickhouse/attribution/crowded-customers.ts'
import { deriveCredits, deriveCrowdedCredits } from '../../clickhouse/attribution/derive-credits.ts'
import { deriveSyntheticTouches } from '../../clickhouse/attribution/derive-synthetic-touches.ts'
import { deriveTouches } from '../../clickhouse/attribution/derive-touches.ts'
import { countSubjects, dirtyProfiles } from '../../clickhouse/attribution/dirty-profiles.ts'
import { expandSubjects } from '../../clickhouse/attribution/expand-subjects.ts'
import { joinAds } from '../../clickhouse/attribution/join-ads.ts'
import { changedProfiles, lookAhead } from '../../clickhouse/attribution/look-ahead.ts'
import { publishCredits, publishReport, rememberDays } from '../../clickhouse/attribution/publish-credits.ts'
import { publishGoals, rememberCustomers } from '../../clickhouse/attribution/publish-customer-conversions.ts'
import { publishingTable, takeUp, unfinishedParts } from '../../clickhouse/attribution/publishing.ts'
import type { sliceParams } from '../../clickhouse/attribution/slice.ts'
import { stageConversions } from '../../clickhouse/attribution/stage-conversions.ts'
import { valueConversions } from '../../clickhouse/attribution/value-conversions.ts'
import type { Warehouse } from '../../clickhouse/client.ts'
import { allOver } from '../all-over.ts'
import { packProfiles } from './pack-profiles.ts'

export interface DirtySubjectVersion {
  profile_id: string
  subject_id: string
  /** Version of the message that told; the derived rows carry it. */
  version: bigint
}

export interface DirtyProfileVersion {
  profile_id: string
  version: bigint
}

const dirtyPerRun = 5_000
const profilesPerRun = 100

/** Derives the customers of dirty subjects again. Running it twice, or for too many, changes nothing. */
export async function recomputeSubjects(warehouse: Warehouse, dirty: DirtySubjectVersion[]): Promise<void> {
  for (let i = 0; i < dirty.length; i += dirtyPerRun) {
    const run = randomUUID()
    const rows = dirty.slice(i, i + dirtyPerRun)
    await warehouse.insert(
      'recompute_dirty',
      rows.map((row) => ({ ...row, run_id: run, version: row.version.toString() })),
    )
    await derive(warehouse, run)
  }
}

/** Derives all customers of profiles that have an outcome again: small profiles together, large ones in slices. */
export async function recomputeProfiles(warehouse: Warehouse, dirty: DirtyProfileVersion[]): Promise<void> {
  for (let i = 0; i < dirty.length; i += profilesPerRun) {
    const versions = new Map(dirty.slice(i, i + profilesPerRun).map((row) => [row.profile_id, row.version]))
    const sizes = await warehouse.run(countSubjects, { profiles: [...versions.keys()] })
    for (const { profiles, runs, slices } of packProfiles(sizes)) {
      for (let share = 0; share < runs; share++) {
        const run = randomUUID()
        await warehouse.execute(dirtyProfiles, {
          run,
          profiles,
          versions: profiles.map((profile) => versions.get(profile)!.toString()),
          share,
          shares: runs,
        })
        // What is true of a whole profile changes no visit.
        await derive(warehouse, run, { slices, hasNewHits: false })
      }
    }
  }
}

interface Work {
  /** In how many slices the run's customers are derived. */
  slices?: number
  /** Whether hits may have come since touches were last derived. */
  hasNewHits?: boolean
  /** Touches times conversions of a customer beyond which its paths are cut into blocks. */
  mostPairs?: number
  /** Called when a slice has its touches, and again when it has its credit; by throwing it stops the run. */
  onStep?: () => void
}

/** Derives the customers of the subjects that `recompute_dirty` holds for the run. */
export async function derive(
  warehouse: Warehouse,
  run: string,
  { slices = 1, hasNewHits = true, mostPairs = 2_000_000, onStep }: Work = {},
): Promise<void> {
  for (const step of expandSubjects) await warehouse.execute(step, { run })
  const [ahead] = await warehouse.run(lookAhead, { run })
  const { held, named, unfinished } = ahead!
  if (unfinished > 0) await publishUnfinished(warehouse, run)
  const every = Array.from({ length: slices }, (_, slice) => ({ run, slice, slices }))
  const touch = async () => {
    for (const slice of every) {
      if (hasNewHits) await warehouse.execute(deriveTouches, slice)
      if (named > 0) await warehouse.execute(deriveSyntheticTouches, slice)
      onStep?.()
    }
  }
  if (held === 0) return touch()
  await allOver([touch().then(() => warehouse.execute(joinAds, { run })), stage(warehouse, run)])
  const crowded = held > fewConversions ? (await warehouse.run(crowdedCustomers, { run, mostPairs }))[0]!.customers : []
  const credit = async (slice: z.output<typeof sliceParams>, part: string) => {
    await warehouse.execute(deriveCredits, { ...slice, part, crowded })
    if (crowded.length > 0) await warehouse.execute(deriveCrowdedCredits, { ...slice, part, crowded })
  }
  // A slice is published while the next one is derived.
  let published = Promise.resolve()
  for (const slice of every) {
    const part = randomUUID()
    await allOver([credit(slice, part), published])
    onStep?.()
    published = publish(warehouse, part)
  }
  await published
}

/**
 * Makes the credit that a part found changed the one that counts. Where it ends half-way, the next run of the profile
 * publishes the part again, all of it, before it compares anything with `credits`.
 */
async function publish(warehouse: Warehouse, part: string): Promise<void> {
  const [changed] = await warehouse.run(changedProfiles, { run: part })
  const { profiles } = changed!
  if (profiles.length === 0) return
  await note(warehouse, part, profiles, { isOver: false })
  await allOver([report(warehouse, part), list(warehouse, part)])
  await warehouse.execute(publishCredits, { run: part })
  await note(warehouse, part, profiles, { isOver: true })
}

async function publishUnfinished(warehouse: Warehouse, run: string): Promise<void> {
  for (const { part: from, profiles } of await warehouse.run(unfinishedParts, { run })) {
    const part = randomUUID()
    await warehouse.execute(takeUp, { part, from, profiles })
    await publish(warehouse, part)
    await note(warehouse, from, profiles, { isOver: true })
  }
}

const note = (warehouse: Warehouse, part: string, profiles: string[], { isOver }: { isOver: boolean }) =>
  warehouse.insert(
    publishingTable,
    profiles.map((profile_id) => ({ profile_id, run_id: part, is_over: isOver ? 1 : 0 })),
  )

async function report(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of [rememberDays, publishReport]) await warehouse.execute(step, { run })
}

async function list(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of [rememberCustomers, publishGoals]) await warehouse.execute(step, { run })
}

async function stage(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of [stageConversions, valueConversions]) await warehouse.execute(step, { run })
}
