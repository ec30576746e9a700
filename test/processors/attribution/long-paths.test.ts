import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { derive } from '../../../processors/attribution/recompute.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { openProfile } from './world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const start = Date.UTC(2026, 4, 1)

/** Derives one customer; with `mostPairs` one that has few touches counts as crowded, or one that has many does not. */
async function deriveBy(profile: string, subject: string, version: number, mostPairs: number) {
  const run = randomUUID()
  await warehouse.insert('recompute_dirty', [
    { run_id: run, profile_id: profile, subject_id: subject, version: String(version) },
  ])
  await derive(warehouse, run, { mostPairs })
  return warehouse.rows<{ touches: number; version: number }>(
    `SELECT conversion_id, length(touch_ids) AS touches, content_hash, version FROM credits FINAL
     WHERE profile_id = '${profile}' ORDER BY conversion_id`,
  )
}

it('a crowded customer is credited as any other, touches at the same moment included', async () => {
  const world = await openProfile(warehouse)
  const subject = randomUUID()
  // Hours apart, and six hundred of the third thousand at one moment: it fills a block and more.
  const hour = (n: number) => (n < 2_000 || n >= 2_600 ? n : 2_000) / 4
  await world.hits(subject, 3_000, (n) => ({ at: start + hour(n) * 3_600_000, signature: `s${n}` }))
  await world.outcomes(subject, 150, (n) => start + (n * 5 - 10) * 3_600_000)
  const crowded = await deriveBy(world.profile, subject, 1, 0)
  expect(crowded).toHaveLength(150)
  expect(Math.max(...crowded.map(({ touches }) => touches))).toBe(500)
  expect(crowded.filter(({ touches }) => touches === 0).length).toBeGreaterThan(0)
  // Whatever comes out otherwise would be written with the new version.
  expect(await deriveBy(world.profile, subject, 2, 1e12)).toEqual(crowded)
})

it('thousands of conversions of one customer with thousands of touches are derived', async () => {
  const world = await openProfile(warehouse)
  const subject = randomUUID()
  const [hits, payments, everyMs] = [12_000, 4_000, 10_000]
  await world.hits(subject, hits, (n) => ({ at: start + n * everyMs, signature: `s${n % 2}` }))
  await world.outcomes(subject, payments, (n) => start + 6_000 * everyMs + n * 1_000)
  await world.recompute()
  const rows = await warehouse.rows<{ conversions: number; longest: number; wrong: number }>(`
    SELECT count() AS conversions, max(length(touch_ids)) AS longest,
      countIf(touch_times[-1] > occurred_at OR dateDiff('millisecond', touch_times[-1], occurred_at) >= ${everyMs}) AS wrong
    FROM credits FINAL WHERE profile_id = '${world.profile}'`)
  expect(rows).toEqual([{ conversions: payments, longest: 500, wrong: 0 }])
})
