import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { searchWords } from '../../clickhouse/search-words.ts'
import { wordFinder } from '../../domain/erasures.ts'
import { eraseTexts, eraseTextsAgain } from '../../processors/erased-texts.ts'
import { type FreshDatabase, freshDatabase } from '../fresh-database.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'
import { createProfile, serverUrl } from '../profiles.ts'
import { timestamp } from '../timestamp.ts'
import { openProfile } from './attribution/world.ts'

const at = Date.UTC(2026, 0, 1)
const day = 86_400_000
const key = 'cliente-0099887766'
const phone = '56933334444'
let database: FreshDatabase
let warehouse: FreshWarehouse
let again: FreshWarehouse
let profile: string

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  warehouse = await freshWarehouse()
  again = await freshWarehouse()
})
afterAll(async () => {
  await warehouse.drop()
  await again.drop()
  await database.drop()
})
beforeEach(async () => {
  profile = await createProfile(database.pool)
})

const sought = (words: string[]) => ({ words, finder: wordFinder(words) })
const found = async (words: string[], store = warehouse) =>
  (await searchWords(store, profile, words, sought(words).finder.isFound)).found

async function take(words: string[]): Promise<number> {
  const { finder } = sought(words)
  return eraseTexts({ postgres: database.pool, warehouse }, profile, await found(words), words, finder)
}

const receipt = (eventId: string, eventType: string) => ({
  profile_id: profile,
  event_time: timestamp(at),
  event_id: eventId,
  receipt: '7',
  subject_id: randomUUID(),
  source: 'server',
  event_type: eventType,
  channel: '',
  names_ad: false,
  is_bot: false,
  received_at: timestamp(at),
  clock_skew_ms: 0,
})

/** Facts as a topic tells them, the same to any warehouse. */
async function facts() {
  const [browser, event, otherEvent] = [randomUUID(), randomUUID(), randomUUID()]
  const hit = (parts: object) => ({
    profile_id: profile,
    subject_id: browser,
    event_id: randomUUID(),
    event_type: 'page_view',
    event_time: timestamp(at),
    received_at: timestamp(at),
    channel: 'email',
    source: key,
    medium: 'email',
    is_direct: false,
    signature: '0011223344556677',
    utm: { source: key, term: `x ${key} y`, campaign: 'spring' },
    url: `https://shop.cl/u/${key}?utm_term=x+${key}+y`,
    path: `/u/${key}`,
    version: '9',
    ...parts,
  })
  const hits = [
    hit({ event_name: `login ${key.toUpperCase()}` }),
    // The same hit again, in parts that are not merged yet.
    ...[1, 2, 2].map((version) => hit({ event_id: event, event_name: `${key} ${version}`, version: String(version) })),
    hit({ event_id: otherEvent, event_name: `my-${key}`, source: '', utm: {}, url: '', path: '/', signature: 'other' }),
  ]
  const receipts = [receipt(event, `lead ${phone}`), receipt(randomUUID(), 'lead')]
  return { browser, hits, receipts, otherEvent }
}

const tell = async (store: FreshWarehouse, { hits, receipts }: Awaited<ReturnType<typeof facts>>) => {
  for (const hit of hits) await store.insert('hits', [hit])
  await store.insert('event_receipts', receipts)
}
const rowsOf = (store: FreshWarehouse, table: string, columns = '*') =>
  store.rows(`SELECT ${columns} FROM ${table} WHERE profile_id = '${profile}' ORDER BY ALL`)

describe('an identifier in a free text', () => {
  it('is replaced by a mark in every part of the warehouse, and nothing else is', async () => {
    const told = await facts()
    await tell(warehouse, told)
    const before = JSON.stringify(await rowsOf(warehouse, 'hits FINAL'))
    await take([key, phone])
    expect(await found([key, phone])).toEqual([])
    const expected = JSON.parse(
      before
        // A longer word is another word.
        .replaceAll(`my-${key}`, 'KEPT')
        .replaceAll(key, '[erased]')
        .replaceAll(key.toUpperCase(), '[erased]')
        .replaceAll('KEPT', `my-${key}`),
    )
    const byText = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
    expect(byText(await rowsOf(warehouse, 'hits FINAL'))).toEqual(byText(expected))
    expect(await rowsOf(warehouse, 'event_receipts', 'DISTINCT event_type')).toEqual([
      { event_type: 'lead' },
      { event_type: 'lead [erased]' },
      { event_type: 'page_view' },
    ])
  })

  it('changes no credit: touches and paths stay, before and after they are derived anew', async () => {
    const world = await openProfile(warehouse, { profile })
    const browser = randomUUID()
    await world.hit(browser, at, { utm: { source: key, campaign: 'spring' }, source: key, signature: 'a' })
    const { ad } = await world.ad('ad-1')
    await world.hit(browser, at + day, { ad: 'ad-1', utm: { term: key }, signature: 'b' })
    await world.outcome(browser, at + 2 * day, { amount: 500 })
    await world.outcome(browser, at + 2 * day, { type: `lead ${phone}` })
    await world.recompute()
    const figures = () =>
      rowsOf(
        warehouse,
        'credits FINAL',
        'conversion_id, conversion_type, net_minor, touch_ids, channels, ad_ids, linear, position_based',
      )
    const before = await figures()
    expect(JSON.stringify(before)).toContain(ad)
    await take([key, phone])
    expect(await found([key, phone])).toEqual([])
    expect(await figures()).toEqual(before)
    await world.hit(browser, at + 3 * day)
    await world.recompute()
    expect(await figures()).toEqual(before)
    expect(await found([key, phone])).toEqual([])
  })

  it('does not come back with a replay, into a fresh warehouse or in place', async () => {
    const told = await facts()
    await tell(warehouse, told)
    await take([key, phone])
    const erased = await rowsOf(warehouse, 'hits FINAL')
    await tell(again, told)
    await again.insert('touches', [
      { ...told.hits[0], touch_id: told.hits[0]!.event_id, touch_time: timestamp(at), event_id: undefined },
    ])
    await eraseTextsAgain({ postgres: database.pool, warehouse: again }, null)
    expect(await found([key, phone], again)).toEqual([])
    expect(await rowsOf(again, 'hits FINAL')).toEqual(erased)
    await tell(warehouse, told)
    expect(await found([key, phone])).not.toEqual([])
    await eraseTextsAgain({ postgres: database.pool, warehouse }, profile)
    expect(await found([key, phone])).toEqual([])
  })

  it('of a text that named two people goes with each of them', async () => {
    const world = await openProfile(warehouse, { profile })
    await world.hit(randomUUID(), at, { utm: { term: `${key} ${phone}` }, signature: 'x' })
    await take([key])
    await take([phone])
    const { rows } = await database.pool.query('SELECT columns FROM erased_texts WHERE profile_id = $1', [profile])
    expect(rows).toEqual([{ columns: { utm: { term: '[erased] [erased]' } } }])
  })

  it('is found among thousands of words that begin with it', async () => {
    const { hits } = await facts()
    const others = Array.from({ length: 5_000 }, (_, n) => ({
      ...hits[0],
      event_id: randomUUID(),
      event_name: '',
      source: '',
      utm: {},
      url: '',
      path: `/u/${key}${n}`,
    }))
    await warehouse.insert('hits', others)
    expect(await found([key])).toEqual([])
    await warehouse.insert('hits', [{ ...others[0], event_id: randomUUID(), path: `/u/${key}` }])
    expect(await found([key])).toMatchObject([{ table: 'hits', column: 'path' }])
    expect(await take([key])).toBe(1)
    expect(await found([key])).toEqual([])
  })

  it('stays away in a replay where thousands of hits held it', async () => {
    const { hits } = await facts()
    const told = Array.from({ length: 3_500 }, (_, n) => ({
      ...hits[0],
      event_id: randomUUID(),
      url: `https://shop.cl/u/${key}?page=${n}&${'x'.repeat(300)}`,
    }))
    await warehouse.insert('hits', told)
    await take([key])
    await again.insert('hits', told)
    const touches = told.map((hit) => ({
      ...hit,
      touch_id: hit.event_id,
      touch_time: timestamp(at),
      event_id: undefined,
    }))
    await again.insert('touches', touches)
    await eraseTextsAgain({ postgres: database.pool, warehouse: again }, profile)
    expect(await found([key], again)).toEqual([])
  })

  it('of another profile is left alone', async () => {
    const told = await facts()
    await tell(warehouse, told)
    const own = profile
    profile = await createProfile(database.pool)
    expect(await take([key, phone])).toBe(0)
    profile = own
    expect(await found([key])).not.toEqual([])
  })
})
