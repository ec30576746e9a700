import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstReceipt } from '../../../../processors/facts/first-receipt.ts'
import { bearer } from '../../../http/test-app.ts'
import { timestamp } from '../../../timestamp.ts'
import { openTrackingApp, type TrackingApp } from './tracking-app.ts'

let tracking: TrackingApp
beforeAll(async () => {
  tracking = await openTrackingApp()
})
afterAll(() => tracking.close())

type Profile = Awaited<ReturnType<TrackingApp['profile']>>
const minute = 60_000
let receipt = 1n

/** A hit as the pipeline stores it: the fact, and a receipt for each time it came. */
async function hit(
  profile: Profile,
  at: number,
  parts: {
    id?: string
    visitor?: string
    receipts?: number
    bot?: boolean
    channel?: string
    type?: string
    storedAt?: number
  } = {},
) {
  const {
    id = randomUUID(),
    visitor = randomUUID(),
    receipts = 1,
    bot = false,
    channel = 'direct',
    type = 'page_view',
  } = parts
  const shared = {
    profile_id: profile.id,
    subject_id: visitor,
    event_id: id,
    event_type: type,
    channel,
    is_bot: bot,
    received_at: timestamp(at),
    url: 'https://shop.example/a',
    path: '/a',
    utm: { source: 'meta' },
  }
  // The first receipt counts.
  const times = [parts.storedAt ?? at, ...Array.from({ length: receipts - 1 }, () => at)]
  await tracking.warehouse.insert(
    'hits',
    times.map((time) => ({ ...shared, event_time: timestamp(time), version: String(firstReceipt(receipt++)) })),
  )
  return id
}

async function outcome(profile: Profile, at: number, id = randomUUID()) {
  await tracking.warehouse.insert('outcomes', [
    {
      profile_id: profile.id,
      subject_id: randomUUID(),
      event_type: 'payment_received',
      received_at: timestamp(at),
      outcome_id: id,
      conversion_id: randomUUID(),
      source: 'server',
      occurred_at: timestamp(at),
      amount_minor: 1250,
      currency: 'USD',
      version: String(receipt++),
    },
  ])
  return id
}

const idsOf = (body: { data: { event_id: string }[] }) => body.data.map(({ event_id }) => event_id)

describe('the feed of events', () => {
  it('shows hits and outcomes, newest first, as they were enriched', async () => {
    const profile = await tracking.profile()
    const now = Date.now()
    const older = await hit(profile, now - 3 * minute)
    const paid = await outcome(profile, now - 2 * minute)
    const newer = await hit(profile, now - minute)
    const { status, body } = await profile.call('GET', '/events')
    expect(status).toBe(200)
    expect(idsOf(body)).toEqual([newer, paid, older])
    expect(body.data[0]).toMatchObject({
      source: 'tracker',
      event_type: 'page_view',
      path: '/a',
      utm: { source: 'meta' },
      value_amount: null,
      event_time: new Date(now - minute).toISOString(),
    })
    expect(body.data[1]).toMatchObject({
      source: 'server',
      event_type: 'payment_received',
      value_amount: 12.5,
      currency: 'USD',
      visitor_id: null,
    })
    expect(body.pagination).toEqual({ has_next: false, cursor: null })
  })

  it('goes on where a page ended, also among events of one moment', async () => {
    const profile = await tracking.profile()
    const now = Date.now()
    const all = await Promise.all([
      ...[1, 1, 1, 2, 3, 3, 4].map((age) => hit(profile, now - age * minute, { receipts: 2 })),
      ...[1, 2, 3].map((age) => outcome(profile, now - age * minute)),
    ])
    const seen: string[] = []
    let cursor: string | null = ''
    do {
      const { body } = await profile.call('GET', `/events?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      expect(body.data.length).toBeLessThanOrEqual(2)
      seen.push(...idsOf(body))
      cursor = body.pagination.cursor
    } while (cursor)
    expect(seen).toHaveLength(all.length)
    expect(new Set(seen)).toEqual(new Set(all))
  })

  it.each([1, 2, 50])('shows events of two browsers under one id at one moment, by pages of %i', async (limit) => {
    const profile = await tracking.profile()
    const [id, at] = [randomUUID(), Date.now() - minute]
    const visitors = [randomUUID(), randomUUID(), randomUUID()].sort().reverse()
    for (const visitor of visitors) await hit(profile, at, { id, visitor, receipts: 2 })
    const seen: string[] = []
    let cursor: string | null = ''
    do {
      const { body } = await profile.call('GET', `/events?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...body.data.map(({ visitor_id }: { visitor_id: string }) => visitor_id))
      cursor = body.pagination.cursor
    } while (cursor)
    expect(seen).toEqual(visitors)
  })

  it('shows an outcome that was told of again as another person’s once', async () => {
    const profile = await tracking.profile()
    const at = Date.now() - minute
    const id = await outcome(profile, at)
    await outcome(profile, at, id)
    expect(idsOf((await profile.call('GET', '/events')).body)).toEqual([id])
  })

  it('goes on from a cursor that names no browser', async () => {
    const profile = await tracking.profile()
    const ids = await Promise.all([1, 2].map((age) => hit(profile, Date.now() - age * minute)))
    const { cursor } = (await profile.call('GET', '/events?limit=1')).body.pagination
    const [mark, time, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const older = Buffer.from(JSON.stringify([mark, time, id])).toString('base64url')
    expect(idsOf((await profile.call('GET', `/events?limit=1&cursor=${older}`)).body)).toEqual([ids[1]])
  })

  it('is filtered by type, source, channel, visitor and time', async () => {
    const profile = await tracking.profile()
    const now = Date.now()
    const visitor = randomUUID()
    const ad = await hit(profile, now - 2 * minute, { channel: 'paid_social', visitor })
    const signup = await hit(profile, now - 3 * minute, { type: 'signup', visitor })
    const paid = await outcome(profile, now - 4 * minute)
    const bot = await hit(profile, now - 5 * minute, { bot: true })
    const old = await hit(profile, now - 20 * 86_400_000)
    const read = async (query: string) => idsOf((await profile.call('GET', `/events?${query}`)).body)
    expect(await read('event_type=signup,payment_received')).toEqual([signup, paid])
    expect(await read('source=server')).toEqual([paid])
    expect(await read('channel=paid_social')).toEqual([ad])
    expect(await read(`visitor_id=${visitor}`)).toEqual([ad, signup])
    expect(await read('include_bots=true')).toEqual([ad, signup, paid, bot])
    const from = encodeURIComponent(new Date(now - 30 * 86_400_000).toISOString())
    expect(await read(`from=${from}`)).toEqual([ad, signup, paid, old])
    expect(await read(`from=${from}&to=${encodeURIComponent(new Date(now - 86_400_000).toISOString())}`)).toEqual([old])
  })

  it('shows an event that has moved at its last place only', async () => {
    const profile = await tracking.profile()
    const now = Date.now()
    const moved = await hit(profile, now - minute, { storedAt: now - 9 * minute, receipts: 2 })
    const there = await hit(profile, now - 2 * minute)
    expect(idsOf((await profile.call('GET', '/events')).body)).toEqual([there, moved])
  })

  it('refuses a window above ninety days, and parameters that are none', async () => {
    const { call } = await tracking.profile()
    const refused = async (query: string) => (await call('GET', `/events?${query}`)).body.error.code
    expect(await refused('from=2026-01-01T00:00:00Z&to=2026-05-01T00:00:00Z')).toBe('invalid_window')
    expect(await refused('from=2020-01-01T00:00:00Z')).toBe('invalid_window')
    for (const query of [
      'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z',
      'from=yesterday',
      'limit=0',
      'limit=201',
      'source=all',
      'channel=x',
      'visitor_id=1',
      'cursor=nonsense',
      'event_type=',
    ]) {
      expect(await refused(query), query).toBe('invalid_parameter')
    }
  })

  it('takes a cursor of this very list only', async () => {
    const profile = await tracking.profile()
    for (const age of [1, 2, 3]) await hit(profile, Date.now() - age * minute)
    const { cursor } = (await profile.call('GET', '/events?limit=1')).body.pagination
    expect((await profile.call('GET', `/events?limit=1&cursor=${cursor}`)).status).toBe(200)
    expect((await profile.call('GET', `/events?limit=1&source=tracker&cursor=${cursor}`)).status).toBe(400)
    expect((await (await tracking.profile()).call('GET', `/events?cursor=${cursor}`)).status).toBe(400)
  })

  it('shows nothing of another profile', async () => {
    const profile = await tracking.profile()
    await hit(profile, Date.now() - minute)
    expect((await (await tracking.profile()).call('GET', '/events')).body.data).toEqual([])
  })

  it('needs visitors:read, and is closed on healthcare profiles', async () => {
    const plain = await tracking.profile(['analytics:read', 'attribution:write'])
    expect((await plain.call('GET', '/events')).body.error).toMatchObject({
      code: 'insufficient_scope',
      required_scopes: ['visitors:read'],
    })
    const clinic = await tracking.profile()
    await tracking.pool.query("UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1", [clinic.id])
    const headers = await bearer(tracking.pool, clinic.id, ['visitors:read'])
    const answer = await tracking.app.inject({ url: '/api/v1/tracking/events', headers })
    expect(answer.json().error.code).toBe('healthcare_scope_forbidden')
  })
})
