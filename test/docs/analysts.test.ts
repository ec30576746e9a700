import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishViews, views } from '../../clickhouse/views.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'
import { config } from '../kafka.ts'
import { openProfile } from '../processors/attribution/world.ts'

const guide = readFileSync('docs/analysts.md', 'utf8')
const questions = [...guide.matchAll(/^(\S.*\?)\n\n```sql\n([\s\S]*?)```/gm)].map(
  ([, title, sql]) => [title!, sql!] as const,
)

let warehouse: FreshWarehouse
let profile: string
const clickhouse = createClient({ url: config.clickhouseUrl })
beforeAll(async () => {
  warehouse = await freshWarehouse()
  await publishViews(config.clickhouseUrl, warehouse.name)
  const world = await openProfile(warehouse)
  profile = world.profile
  await world.ad('111')
  const visitor = randomUUID()
  await world.hit(visitor, Date.parse('2026-10-01T00:00:00Z'), { ad: '111' })
  await world.hit(visitor, Date.parse('2026-10-02T00:00:00Z'))
  await world.outcome(visitor, Date.parse('2026-10-03T00:00:00Z'), { refunded: 500 })
  await world.outcome(visitor, Date.parse('2026-10-03T00:00:00Z'), { type: 'unlisted' })
  await world.recompute()
})
afterAll(async () => {
  await clickhouse.command({ query: 'DROP DATABASE IF EXISTS touchline' })
  await clickhouse.close()
  await warehouse.drop()
})

const ask = async <Row>(sql: string) =>
  (await clickhouse.query({ query: sql, query_params: { profile }, format: 'JSONEachRow' })).json<Row>()

describe('the analysts’ guide', () => {
  it('asks ten questions', () => {
    expect(questions).toHaveLength(10)
  })

  it.each(questions)('%s', async (_title, sql) => {
    expect(await ask(sql)).not.toEqual([])
  })

  it('names every view', () => {
    for (const { name } of views) expect(guide).toContain(`| \`${name}\` |`)
  })

  it('gives a campaign its credit less refunds', async () => {
    const [, sql] = questions[0]!
    expect(await ask(sql)).toEqual([{ name: 'Campaign 1', first_touch_revenue: 95, linear_revenue: 47.5 }])
  })
})

it('comments every table and column of the warehouse', async () => {
  const bare = await ask(
    `SELECT table, name FROM system.columns WHERE database = '${warehouse.name}' AND table != 'migrations' AND comment = ''
     UNION ALL SELECT name, '' FROM system.tables WHERE database = '${warehouse.name}' AND comment = ''`,
  )
  expect(bare).toEqual([])
})
