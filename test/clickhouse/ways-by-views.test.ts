import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hits, type OutcomeRow, outcomes } from '../../clickhouse/fact-tables.ts'
import type { BinaryTable } from '../../clickhouse/row-binary.ts'
import { hitRow } from '../../processors/facts/hit-row.ts'
import { serverOutcome, trackerOutcome } from '../../processors/facts/outcome-row.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'
import * as samples from '../schemas/samples.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const at = Date.UTC(2026, 0, 1)
const version = (BigInt(at) << 64n) | 7n
const [hit] = samples.visit(randomUUID()).hits
const event = (profile_id: string, parts: object = {}) =>
  serverOutcome({ ...samples.serverEvent(profile_id), identifiers: [], ...parts }, version)

/** A batch that was stored and not committed is stored again. */
const storeTwice = async <Row>(table: BinaryTable<Row>, rows: Row[]) => {
  await warehouse.store(table, rows)
  await warehouse.store(table, rows)
}
const rowsOf = (table: string, profile: string, columns = '*') =>
  warehouse.rows(`SELECT ${columns} FROM ${table} FINAL WHERE profile_id = '${profile}' ORDER BY ALL`)
const pairsOf = (rows: OutcomeRow[]) =>
  rows
    .map(({ subject_id, outcome_id }) => ({ subject_id, outcome_id }))
    .sort((x, y) => (x.outcome_id < y.outcome_id ? -1 : 1))
const storedPairs = (table: string, profile: string) =>
  warehouse.rows(
    `SELECT subject_id, outcome_id FROM ${table} FINAL WHERE profile_id = '${profile}' ORDER BY toString(outcome_id)`,
  )

it('gives a hit a receipt for each message that brought it, however often it is stored', async () => {
  const visit = { ...samples.visit(randomUUID()), received_at: at, clock_skew_ms: -7200, is_bot: true }
  const plain = { ...hit!, event_id: randomUUID(), event_time: at, campaign_ref: null, ad_set_ref: null, ad_ref: null }
  const named = { ...plain, event_id: randomUUID(), ad_set_ref: '17' }
  await storeTwice(hits, [
    hitRow(visit, plain, version),
    hitRow(visit, plain, version + 1n),
    hitRow(visit, named, version),
  ])
  const columns = 'event_id, toString(receipt) AS receipt, names_ad'
  const expected = [
    { event_id: plain.event_id, receipt: String(version), names_ad: false },
    { event_id: plain.event_id, receipt: String(version + 1n), names_ad: false },
    { event_id: named.event_id, receipt: String(version), names_ad: true },
  ]
  const receipts = await rowsOf('event_receipts', visit.profile_id, columns)
  expect(receipts).toHaveLength(expected.length)
  expect(receipts).toEqual(expect.arrayContaining(expected))
  expect(
    await rowsOf(
      'event_receipts',
      visit.profile_id,
      'DISTINCT subject_id, source, event_type, channel, is_bot, toUnixTimestamp64Milli(event_time)::Float64 AS time, clock_skew_ms::Int32 AS skew',
    ),
  ).toEqual([
    {
      subject_id: visit.visitor_id,
      source: 'tracker',
      event_type: plain.event_type,
      channel: hitRow(visit, plain, version).channel,
      is_bot: true,
      time: at,
      skew: -7200,
    },
  ])
})

it('gives an outcome its receipt, unless its hit has one', async () => {
  const profile_id = randomUUID()
  const told = event(profile_id, { occurred_at: at, ad_ref: null, ad_set_ref: null, campaign_ref: null })
  const seen = trackerOutcome(
    { ...samples.visit(profile_id), is_bot: false },
    { ...hit!, event_type: 'signup' },
    version,
  )!
  await storeTwice(outcomes, [told, seen])
  expect(
    await rowsOf('event_receipts', profile_id, 'event_id, toString(receipt) AS receipt, source, names_ad, is_bot'),
  ).toEqual([{ event_id: told.outcome_id, receipt: String(version), source: 'server', names_ad: false, is_bot: false }])
})

it('leads from a subject to its outcomes and back, also from those it no longer has', async () => {
  const profile_id = randomUUID()
  const first = event(profile_id)
  const moved = { ...first, subject_id: randomUUID(), version: version + 1n }
  await storeTwice(outcomes, [first])
  await storeTwice(outcomes, [moved])
  for (const table of ['subject_outcomes', 'outcome_subjects']) {
    const stored = await storedPairs(table, profile_id)
    expect(stored).toHaveLength(2)
    expect(stored).toEqual(expect.arrayContaining(pairsOf([first, moved])))
  }
})

it('knows the outcomes off the site that name an ad, and no others', async () => {
  const profile_id = randomUUID()
  const offSite = { action_source: 'phone_call', ad_ref: null, ad_set_ref: null, campaign_ref: null }
  const named = [
    event(profile_id, { ...offSite, ad_ref: '1' }),
    event(profile_id, { ...offSite, ad_set_ref: '2' }),
    event(profile_id, { ...offSite, campaign_ref: '3' }),
  ]
  const others = [
    event(profile_id, offSite),
    event(profile_id, { ...offSite, action_source: 'website', ad_ref: '1' }),
    trackerOutcome(
      { ...samples.visit(profile_id), is_bot: false },
      { ...hit!, event_id: randomUUID(), event_type: 'signup', ad_ref: '1' },
      version,
    )!,
  ]
  await storeTwice(outcomes, [...named, ...others])
  expect(await storedPairs('named_outcomes', profile_id)).toEqual(pairsOf(named))
})

it('finds outcomes with money by their time', async () => {
  const profile_id = randomUUID()
  const paid = event(profile_id, { occurred_at: at, amount_minor: 0, currency: 'USD' })
  await storeTwice(outcomes, [paid, event(profile_id, { amount_minor: null, currency: null })])
  expect(
    await rowsOf('payment_times', profile_id, 'outcome_id, toUnixTimestamp64Milli(occurred_at)::Float64 AS time'),
  ).toEqual([{ outcome_id: paid.outcome_id, time: at }])
})

it('leads from a customer to its subjects, also to those it no longer has', async () => {
  const [profile_id, subject_id, first, second] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  for (const [version, customer_id] of [first, second, second].entries()) {
    await warehouse.insert('identity_map', [{ profile_id, subject_id, customer_id, version }])
  }
  const ways = await rowsOf('customer_subjects', profile_id, 'customer_id, subject_id')
  expect(ways).toHaveLength(2)
  expect(ways).toEqual(expect.arrayContaining([first, second].map((customer_id) => ({ customer_id, subject_id }))))
})
