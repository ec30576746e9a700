import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { openProfile } from './world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const start = Date.UTC(2026, 4, 1)
const touchEveryMs = 10_000
const payEveryMs = 1_000

it('derives thousands of conversions of one customer with thousands of touches, each by its own latest ones', async () => {
  const world = await openProfile(warehouse)
  const subject = randomUUID()
  const [hits, payments] = [12_000, 4_000]
  await world.hits(subject, hits, (n) => ({ at: start + n * touchEveryMs, signature: `s${n % 2}` }))
  const firstPayment = start + 6_000 * touchEveryMs
  await world.outcomes(subject, payments, (n) => firstPayment + n * payEveryMs)
  await world.recompute()
  const rows = await warehouse.rows<{ conversions: number; longest: number; wrong: number }>(`
    SELECT count() AS conversions, max(length(touch_ids)) AS longest,
      countIf(touch_times[-1] > occurred_at OR dateDiff('millisecond', touch_times[-1], occurred_at) >= ${touchEveryMs})
        AS wrong
    FROM credits FINAL WHERE profile_id = '${world.profile}'`)
  expect(rows).toEqual([{ conversions: payments, longest: 500, wrong: 0 }])
})
