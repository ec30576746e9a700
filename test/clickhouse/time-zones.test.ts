import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { query } from '../../clickhouse/query.ts'
import { timeZones } from '../../domain/time-zones.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const known = query({
  name: 'known_time_zones',
  params: z.object({}),
  row: z.object({ time_zone: z.string() }),
  sql: 'SELECT time_zone FROM system.time_zones',
})

const nodeKnows = (timeZone: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }))
  } catch {
    return false
  }
}

it('a profile can have every zone that the engine and Node can load, and no other', async () => {
  const both = (await warehouse.run(known, {})).map((row) => row.time_zone).filter(nodeKnows)
  expect([...timeZones].sort()).toEqual(both.sort())
})

it.each(['america/santiago', 'Us/Pacific', 'ZULU', 'Etc/gmt', 'SystemV/EST5', '+05:00', 'Mars/Olympus', ''])(
  '%s is no time zone',
  (name) => {
    expect(timeZones.has(name)).toBe(false)
  },
)
