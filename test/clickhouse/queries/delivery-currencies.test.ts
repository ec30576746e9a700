import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignReport } from '../../../clickhouse/queries/campaign-report.ts'
import type { Currencies } from '../../../clickhouse/queries/delivery.ts'
import { inCurrencies } from '../../../clickhouse/queries/delivery-currencies.ts'
import { platformTotals } from '../../../clickhouse/queries/platform-comparison.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const campaigns = [randomUUID(), randomUUID(), randomUUID()]
const amount = fc.integer({ min: 0, max: 1_000_000 })
const maybe = fc.option(amount)
const delivery = fc.array(
  fc.record({
    date: fc.integer({ min: 1, max: 30 }).map((day) => `2026-10-${String(day).padStart(2, '0')}`),
    campaign_id: fc.constantFrom(...campaigns),
    spend_minor: amount,
    impressions: amount,
    reach: maybe,
    platform_conversions: maybe,
    platform_conversion_value_minor: maybe,
    messaging_conversations_started_7d: maybe,
  }),
  { minLength: 1, maxLength: 12 },
)

const rangeOf = (profile: string) => ({ profile, currency: 'USD', from: '2026-10-01', to: '2026-10-31' })

const insert = (profile: string, rows: object[]) =>
  warehouse.insert(
    'ad_delivery',
    rows.map((row) => ({
      profile_id: profile,
      platform: 'meta',
      ad_set_id: randomUUID(),
      ad_id: randomUUID(),
      currency: 'USD',
      version: '1',
      ...row,
    })),
  )

const read = async (profile: string, currencies: Currencies) => {
  const page = { limit: 10, platforms: [], after_rank: '0', after_spend: '0', after_id: '' }
  const report = campaignReport('linear', 'campaign', 'spend', { currencies, isLater: false, isFiltered: false })
  return Promise.all([
    warehouse.run(report, { ...rangeOf(profile), ...page }),
    warehouse.run(platformTotals('linear', 'campaign', currencies), rangeOf(profile)),
  ])
}

it('says of delivery in one currency what the form for several says', async () => {
  await fc.assert(
    fc.asyncProperty(delivery, async (rows) => {
      const profile = randomUUID()
      await insert(profile, rows)
      expect(await read(profile, 'one')).toEqual(await read(profile, 'several'))
    }),
    { numRuns: 8 },
  )
})

it('takes the form for several as soon as one row of the range is in another currency', async () => {
  const profile = randomUUID()
  const asked = () => inCurrencies(warehouse, rangeOf(profile), async (currencies) => currencies)
  const row = { campaign_id: campaigns[0], spend_minor: 1 }
  await insert(profile, [{ ...row, date: '2026-10-02' }])
  await insert(profile, [{ ...row, date: '2026-09-02', currency: 'EUR' }])
  await insert(randomUUID(), [{ ...row, date: '2026-10-02', currency: 'EUR' }])
  expect(await asked()).toBe('one')
  await insert(profile, [{ ...row, date: '2026-10-31', currency: 'EUR' }])
  expect(await asked()).toBe('several')
})
