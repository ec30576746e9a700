import { randomUUID } from 'node:crypto'
import { deriveCredits } from '../../clickhouse/attribution/derive-credits.ts'
import { deriveSyntheticTouches } from '../../clickhouse/attribution/derive-synthetic-touches.ts'
import { deriveTouches } from '../../clickhouse/attribution/derive-touches.ts'
import { countSubjects, dirtyProfiles } from '../../clickhouse/attribution/dirty-profiles.ts'
import { expandSubjects } from '../../clickhouse/attribution/expand-subjects.ts'
import { joinAds } from '../../clickhouse/attribution/join-ads.ts'
import { changedCredit, heldOutcomes } from '../../clickhouse/attribution/look-ahead.ts'
import { publishCredits, publishReport, rememberDays } from '../../clickhouse/attribution/publish-credits.ts'
import { publishGoals, rememberCustomers } from '../../clickhouse/attribution/publish-customer-conversions.ts'
import { stageConversions } from '../../clickhouse/attribution/stage-conversions.ts'
import { valueConversions } from '../../clickhouse/attribution/value-conversions.ts'
import type { Warehouse } from '../../clickhouse/client.ts'
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

const subjectsPerRun = 5_000
const subjectsPerSlice = 50_000
const profilesPerRun = 100

/** Derives the customers of dirty subjects again. Running it twice, or for too many, changes nothing. */
export async function recomputeSubjects(warehouse: Warehouse, dirty: DirtySubjectVersion[]): Promise<void> {
  for (let i = 0; i < dirty.length; i += subjectsPerRun) {
    const run = randomUUID()
    const rows = dirty.slice(i, i + subjectsPerRun)
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
    for (const { profiles, slices } of packProfiles(sizes, subjectsPerSlice)) {
      for (let slice = 0; slice < slices; slice++) {
        const run = randomUUID()
        await warehouse.execute(dirtyProfiles, {
          run,
          profiles,
          versions: profiles.map((profile) => versions.get(profile)!.toString()),
          slice,
          slices,
        })
        await derive(warehouse, run)
      }
    }
  }
}

/** Derives the customers of the subjects that `recompute_dirty` holds for the run. */
export async function derive(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of expandSubjects) await warehouse.execute(step, { run })
  const [outcomes] = await warehouse.run(heldOutcomes, { run })
  if (outcomes!.held === 0) return warehouse.execute(deriveTouches, { run })
  await Promise.all([touch(warehouse, run, outcomes!.named > 0), stage(warehouse, run)])
  await warehouse.execute(deriveCredits, { run })
  const [credit] = await warehouse.run(changedCredit, { run })
  if (credit!.changed === 0) return
  await Promise.all([report(warehouse, run), list(warehouse, run)])
  // Last: the next run compares with it.
  await warehouse.execute(publishCredits, { run })
}

async function report(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of [rememberDays, publishReport]) await warehouse.execute(step, { run })
}

async function list(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of [rememberCustomers, publishGoals]) await warehouse.execute(step, { run })
}

async function touch(warehouse: Warehouse, run: string, namesAds: boolean): Promise<void> {
  await warehouse.execute(deriveTouches, { run })
  if (namesAds) await warehouse.execute(deriveSyntheticTouches, { run })
  await warehouse.execute(joinAds, { run })
}

async function stage(warehouse: Warehouse, run: string): Promise<void> {
  for (const step of [stageConversions, valueConversions]) await warehouse.execute(step, { run })
}
