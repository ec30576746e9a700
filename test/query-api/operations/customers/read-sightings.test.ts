import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSightings } from '../../../../query-api/operations/customers/read-sightings.ts'
import { type FreshWarehouse, freshWarehouse } from '../../../fresh-warehouse.ts'
import { openProfile } from '../../../processors/attribution/world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

it('sees customers together who have more browsers than one parameter holds', async () => {
  const world = await openProfile(warehouse)
  const customerId = randomUUID()
  const held = Array.from({ length: 3_500 }, () => ({ subjectId: randomUUID(), customerId, isBrowser: true }))
  const [first, last] = [Date.parse('2026-10-01T00:00:00Z'), Date.parse('2026-10-02T00:00:00Z')]
  await world.hit(held[0]!.subjectId, first)
  await world.hit(held.at(-1)!.subjectId, last)
  const seen = (await readSightings(warehouse, world.profile, held)).get(customerId)!
  expect([seen.firstSeenAt, seen.lastSeenAt].map((time) => Date.parse(time))).toEqual([first, last])
})
