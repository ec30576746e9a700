import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unlistedEventTypes } from '../../../clickhouse/queries/unlisted-event-types.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { openProfile } from '../../processors/attribution/world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

it('lists what arrived since a time under no definition, most frequent first, a re-send once', async () => {
  const world = await openProfile(warehouse)
  const at = (text: string) => Date.parse(`2026-10-${text}Z`)
  const id = await world.outcome(randomUUID(), at('03T00:00:00'), { type: 'quote_opened' })
  await world.outcome(randomUUID(), at('03T00:00:00'), { id, type: 'quote_opened' })
  await world.outcome(randomUUID(), at('04T00:00:00'), { type: 'survey' })
  await world.outcome(randomUUID(), at('05T00:00:00'), { type: 'survey' })
  await world.outcome(randomUUID(), at('01T00:00:00'), { type: 'long_ago' })
  await world.outcome(randomUUID(), at('04T00:00:00'), { type: 'payment_received' })
  const other = await openProfile(warehouse)
  await other.outcome(randomUUID(), at('04T00:00:00'), { type: 'theirs' })
  const params = { profile: world.profile, since: '2026-10-02T00:00:00Z', limit: 10 }
  expect(await warehouse.run(unlistedEventTypes, params)).toEqual([
    { event_type: 'survey', events: 2 },
    { event_type: 'quote_opened', events: 1 },
  ])
})
