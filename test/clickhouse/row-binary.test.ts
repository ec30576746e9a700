import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HitRow, hits, type OutcomeRow, outcomes } from '../../clickhouse/fact-tables.ts'
import { binaryTable, int64, text, uuid } from '../../clickhouse/row-binary.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'
import { timestamp } from '../timestamp.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const words = fc.string({ unit: 'binary', maxLength: 300 }).map((word) => word.toWellFormed())
const uuids = fc.uuid()
const times = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) })
const amounts = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
const versions = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })

const hitRows: fc.Arbitrary<HitRow> = fc.record({
  ...{ profile_id: uuids, subject_id: uuids, event_id: uuids, event_type: words, event_name: words },
  ...{ event_time: times, received_at: times, clock_skew_ms: amounts, url: words, path: words, referrer: words },
  ...{ channel: words, source: words, medium: words, is_direct: fc.boolean(), signature: words },
  ...{ utm: fc.dictionary(words, words), click_id_kind: words, campaign_ref: words, ad_set_ref: words, ad_ref: words },
  ...{ device: words, browser: words, os: words, country: words, city: words, is_bot: fc.boolean(), version: versions },
})

const outcomeRows: fc.Arbitrary<OutcomeRow> = fc.record({
  ...{ profile_id: uuids, outcome_id: uuids, conversion_id: uuids, subject_id: uuids, source: words, provider: words },
  ...{ external_id: words, event_type: words, event_name: words, pipeline: words, stage_id: words },
  ...{ occurred_at: times, received_at: times, amount_minor: fc.option(amounts), refunded_minor: amounts },
  ...{ currency: words, subject_ref: fc.option(uuids), action_source: words, click_id_kind: words },
  ...{ campaign_ref: words, ad_set_ref: words, ad_ref: words, channel: words, traffic_source: words, medium: words },
  ...{ visitor_id: fc.option(uuids), url: words, path: words, device: words, browser: words, os: words },
  ...{ country: words, city: words, version: versions },
})

/** The same row in JSON. */
const plain = (row: HitRow | OutcomeRow) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'bigint') return [name, String(value)]
      return [name, ['event_time', 'received_at', 'occurred_at'].includes(name) ? timestamp(value as number) : value]
    }),
  )

describe('rows in binary', () => {
  it.each([
    [hits, hitRows],
    [outcomes, outcomeRows],
  ] as const)('are stored as the same rows in JSON are ($name)', async (table, rows) => {
    const name = `json_${table.name}`
    await warehouse.rows(`CREATE TABLE ${name} AS ${table.name}`)
    const some = fc.sample(rows as fc.Arbitrary<HitRow & OutcomeRow>, 300)
    await warehouse.store<HitRow & OutcomeRow>(table, some)
    await warehouse.insert(name, some.map(plain))
    const stored = (from: string) => warehouse.rows(`SELECT * FROM ${from} FINAL ORDER BY ALL`)
    expect(await stored(table.name)).toEqual(await stored(name))
    expect(await stored(name)).toHaveLength(some.length)
  })

  it('are of any size', async () => {
    const profile_id = randomUUID()
    const [row] = fc.sample(hitRows, 1)
    const url = 'é'.repeat(300_000)
    await warehouse.store(hits, [
      { ...row!, profile_id, url: '', subject_id: randomUUID() },
      { ...row!, profile_id, url },
    ])
    expect(
      await warehouse.rows(
        `SELECT length(url)::Float64 AS size FROM hits WHERE profile_id = '${profile_id}' ORDER BY 1`,
      ),
    ).toEqual([{ size: 0 }, { size: 600_000 }])
  })

  it('are refused where the engine would take something else for a value', () => {
    const { encode } = binaryTable('any', { id: uuid, name: text, count: int64 })
    const row = { id: randomUUID(), name: '', count: 0 }
    expect(encode([row])).toHaveLength(16 + 1 + 8)
    for (const id of [
      '',
      `${row.id}0`,
      row.id.replaceAll('-', ''),
      `g${row.id.slice(1)}`,
      `\u0130${row.id.slice(1)}`,
    ]) {
      expect(() => encode([{ ...row, id }]), id).toThrow(TypeError)
    }
    for (const count of [0.5, Number.NaN, 2 ** 53]) expect(() => encode([{ ...row, count }])).toThrow(RangeError)
  })

  it('fail as a whole when the engine refuses them, and leave the connection in use', async () => {
    const nowhere = binaryTable('nowhere', { profile_id: uuid })
    await expect(warehouse.store(nowhere, [{ profile_id: randomUUID() }])).rejects.toThrow(/nowhere/)
    await warehouse.store(hits, [])
    await warehouse.store(hits, fc.sample(hitRows, 1))
  })
})
