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

const ask = async <Row>(sql: string, of = profile) =>
  (await clickhouse.query({ query: sql, query_params: { profile: of }, format: 'JSONEachRow' })).json<Row>()

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

  it('gives a campaign its credit also where revenue is counted in billions of pesos', async () => {
    const world = await openProfile(warehouse, { currency: 'CLP' })
    await world.ad('111')
    const visitor = randomUUID()
    await world.hit(visitor, Date.parse('2026-10-01T00:00:00Z'), { ad: '111' })
    await world.outcome(visitor, Date.parse('2026-10-03T00:00:00Z'), { amount: 20_000_000_000 })
    await world.recompute()
    const [, sql] = questions[0]!
    expect(await ask(sql, world.profile)).toMatchObject([{ first_touch_revenue: 200_000_000 }])
  })

  it('adds spend of several currencies up in the reporting currency, as reports do', async () => {
    const world = await openProfile(warehouse)
    const date = Date.parse('2026-10-01') / 86_400_000
    await warehouse.insert('fx_rates', [
      { base: 'CLP', quote: 'USD', date: '2026-09-29', minor_rate: '100000000000', version: 1 },
    ])
    await world.ad('1', { date, spend_minor: 500 })
    await world.ad('2', { date, spend_minor: 20_000, currency: 'CLP' })
    await world.ad('3', { date, spend_minor: 700, currency: 'JPY' })
    const [, sql] = questions[1]!
    expect(await ask(sql, world.profile)).toMatchObject([{ spend: 25 }])
  })

  it('finds an explanation of every column of a view', async () => {
    for (const { name } of views) {
      const columns = await ask<{ name: string; comment: string }>(`DESCRIBE touchline.${name}`)
      expect(columns.filter(({ comment }) => comment === '').map((column) => `${name}.${column.name}`)).toEqual([])
    }
  })
})

it('comments every table and column of the warehouse', async () => {
  const bare = await ask(
    `SELECT table, name FROM system.columns WHERE database = '${warehouse.name}' AND table != 'migrations' AND comment = ''
     UNION ALL SELECT name, '' FROM system.tables WHERE database = '${warehouse.name}' AND comment = ''`,
  )
  expect(bare).toEqual([])
})
