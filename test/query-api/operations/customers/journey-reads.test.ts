import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readsOf } from '../../../../clickhouse/queries/journey-events.ts'
import { readEvents } from '../../../../query-api/operations/customers/journey-reads.ts'
import { type FreshWarehouse, freshWarehouse } from '../../../fresh-warehouse.ts'
import { openProfile } from '../../../processors/attribution/world.ts'
import { timestamp } from '../../../timestamp.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const start = Date.parse('2026-10-01T00:00:00Z')
const minute = 60_000

it('cuts the same order into pages, however far back they begin', async () => {
  const world = await openProfile(warehouse)
  const visitor = randomUUID()
  const hits = Array.from({ length: 1_020 }, (_, n) => ({ id: randomUUID(), at: start + n * minute }))
  await warehouse.insert(
    'hits',
    hits.map(({ id, at }) => ({
      profile_id: world.profile,
      subject_id: visitor,
      event_id: id,
      event_type: 'page_view',
      event_time: timestamp(at),
      received_at: timestamp(at),
      version: '1',
    })),
  )
  const outcomes: { id: string; at: number }[] = []
  for (const n of [-1, 0, 700, 999, 1_001, 1_001, 1_030]) {
    const at = start + n * minute
    outcomes.push({ id: await world.outcome(visitor, at), at })
  }
  const all = [...hits, ...outcomes].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
  for (const offset of [0, 695, 990, 999, 1_000, 1_001, 1_005, 1_015, 1_026]) {
    const journey = { profile: world.profile, customer: visitor, limit: 15, offset }
    const { events, total_count } = await readEvents(warehouse, journey)
    expect({ offset, ids: events.map(({ id }) => id) }).toEqual({ offset, ids: all.slice(offset, offset + 15) })
    expect(total_count).toBe(all.length)
  }
  const past = { profile: world.profile, customer: visitor, limit: 15, offset: 5_000 }
  expect(await readEvents(warehouse, past)).toEqual({ events: [], total_count: all.length })
})

it('reads outcomes alike with and without what stages and payers say, where they say nothing', async () => {
  const world = await openProfile(warehouse)
  const [ours, theirs] = [randomUUID(), randomUUID()]
  await world.outcome(ours, start, { type: 'lead_created', source: 'crm', provider: 'hubspot', amount: null })
  await world.outcome(ours, start + minute, { ad: '111', source: 'payment', provider: 'stripe' })
  const moved = await world.outcome(ours, start + 2 * minute)
  await world.outcome(theirs, start + 2 * minute, { id: moved })
  const { reads, whose } = readsOf({ profile: world.profile, customer: ours, subjects: [ours] })
  const part = { ...whose, until: start + 5 * minute, skip: 0, limit: 10 }
  const plain = await warehouse.run(reads.plainOutcomes, part)
  expect(plain.map(({ any_staged, ...row }) => row)).toEqual(await warehouse.run(reads.outcomes, part))
  expect(plain.map(({ total_count, any_staged }) => ({ total_count, any_staged }))).toEqual([
    { total_count: 2, any_staged: false },
    { total_count: 2, any_staged: false },
  ])
})

it('sees that a stage or a payer has a say, on whatever page it is', async () => {
  const world = await openProfile(warehouse)
  const [ours, payer] = [randomUUID(), randomUUID()]
  const payment = await world.outcome(ours, start)
  await world.outcome(ours, start + minute, { type: 'lead_created', source: 'crm', provider: 'hubspot', stage: '7' })
  const { reads, whose } = readsOf({ profile: world.profile, customer: ours, subjects: [ours] })
  const part = { ...whose, until: start + 5 * minute, skip: 0, limit: 1 }
  expect((await warehouse.run(reads.plainOutcomes, part))[0]?.any_staged).toBe(true)
  expect(await warehouse.run(reads.assignedPayers, whose)).toEqual([])
  await world.act(payment, 'payer', { payer })
  expect(await warehouse.run(reads.assignedPayers, whose)).toEqual([{ payment_id: payment }])
})

it('is read of a customer with more browsers than one parameter holds', async () => {
  const world = await openProfile(warehouse)
  const customer = randomUUID()
  const browsers = Array.from({ length: 3_500 }, () => randomUUID())
  await warehouse.insert(
    'identity_map',
    browsers.map((subject_id) => ({ profile_id: world.profile, subject_id, customer_id: customer, version: '1' })),
  )
  const first = await world.hit(browsers[0]!, start, { ad: '111' })
  const last = await world.hit(browsers.at(-1)!, start + minute)
  const outcome = await world.outcome(browsers[1_700]!, start + 2 * minute, { source: 'crm', stage: '7' })
  const payment = await world.outcome(randomUUID(), start + 3 * minute)
  await world.act(payment, 'payer', { payer: browsers[3]! })
  await world.stage('7', 'lead_created', '')
  await world.recompute()
  const journey = { profile: world.profile, customer, limit: 10, offset: 0 }
  const { events, total_count } = await readEvents(warehouse, journey, { withTouches: true })
  expect(total_count).toBe(4)
  expect(events.map(({ id, isTouch }) => ({ id, isTouch }))).toEqual([
    { id: first, isTouch: true },
    { id: last, isTouch: true },
    { id: outcome, isTouch: false },
    { id: payment, isTouch: false },
  ])
})
