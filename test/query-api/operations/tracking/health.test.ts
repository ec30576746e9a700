import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recentLag } from '../../../../infra/kafka/recent-lag.ts'
import { type Topic, topics } from '../../../../schemas/topics.ts'
import { createTopics } from '../../../kafka.ts'
import { openProfile } from '../../../processors/attribution/world.ts'
import { timestamp } from '../../../timestamp.ts'
import { openTrackingApp, type TrackingApp } from './tracking-app.ts'

let tracking: TrackingApp
beforeAll(async () => {
  await createTopics(Object.values(topics) as Topic<never>[])
  tracking = await openTrackingApp()
})
afterAll(() => tracking.close())

const receiptsOf = (profile: string, id: string, parts: object[] = [{}]) => {
  // Read once: receipts of one event have its time, to the millisecond.
  const at = timestamp(Date.now() - 120_000)
  return tracking.warehouse.insert(
    'event_receipts',
    parts.map((one, n) => ({
      profile_id: profile,
      event_time: at,
      event_id: id,
      receipt: String(n + 1),
      subject_id: randomUUID(),
      source: 'tracker',
      event_type: 'page_view',
      channel: 'direct',
      names_ad: false,
      is_bot: false,
      received_at: at,
      clock_skew_ms: 0,
      ...one,
    })),
  )
}

const byKey = (checks: { key: string }[]) => Object.fromEntries(checks.map((check) => [check.key, check]))

describe('tracking quality', () => {
  it('of a new profile has no data, and says what comes first', async () => {
    const { call } = await tracking.profile()
    const { status, body } = await call('GET', '/quality')
    expect(status).toBe(200)
    expect(byKey(body.data.checks)).toMatchObject({
      conversions_joined: { status: 'no_data', value: null, fix: expect.any(String) },
      unknown_keys: { status: 'pass', value: 0, fix: null },
      minutes_since_last_hit: { status: 'no_data' },
    })
    expect(body.data.readiness[0]).toEqual({ key: 'tracking_key_issued', is_done: true, fix: null })
    expect(byKey(body.data.readiness)).toMatchObject({ crm_or_outcome_source_connected: { is_done: false } })
  })

  it('counts what came in, how often, how late and by which ads', async () => {
    const { id, call } = await tracking.profile()
    await receiptsOf(id, randomUUID(), [{}, {}, {}])
    await receiptsOf(id, randomUUID(), [{ channel: 'paid_social', names_ad: true }])
    await receiptsOf(id, randomUUID(), [{ channel: 'display', clock_skew_ms: 90_000 }])
    await receiptsOf(id, randomUUID(), [{ source: 'server', event_type: 'payment_received' }])
    const checks = byKey((await call('GET', '/quality')).body.data.checks)
    expect(checks).toMatchObject({
      duplicate_share: { value: 0.4, status: 'fail' },
      ad_id_coverage: { value: 0.5, status: 'warn' },
      clock_skew_share: { value: 0.3333, status: 'fail' },
      minutes_since_last_hit: { value: 2, status: 'pass' },
    })
    const readiness = byKey((await call('GET', '/quality')).body.data.readiness)
    expect(readiness).toMatchObject({ crm_or_outcome_source_connected: { is_done: true } })
  })

  it.each([
    ['came in now but happened long ago', 1, 'pass'],
    ['was the last one, longer ago than the days that are looked at', 30 * 1440, 'fail'],
  ])('knows of a hit that %s', async (_what, minutesAgo, status) => {
    const { id, call } = await tracking.profile()
    const receivedAt = Date.now() - minutesAgo * 60_000
    await receiptsOf(id, randomUUID(), [
      { event_time: timestamp(receivedAt - 20 * 86_400_000), received_at: timestamp(receivedAt) },
    ])
    await tracking.pool.query('UPDATE tracking_keys SET last_seen_at = $2, revoked_at = $2 WHERE profile_id = $1', [
      id,
      new Date(receivedAt),
    ])
    expect(byKey((await call('GET', '/quality')).body.data.checks)).toMatchObject({
      minutes_since_last_hit: { value: minutesAgo, status },
    })
  })

  it('measures how many conversions are joined, and which have no exchange rate', async () => {
    const { id, call } = await tracking.profile()
    const world = await openProfile(tracking.warehouse, { profile: id })
    const [ana, ben] = [randomUUID(), randomUUID()]
    const now = Date.now()
    await world.hit(ana, now - 3_600_000)
    await world.outcome(ana, now - 60_000)
    await world.outcome(ben, now - 60_000, { currency: 'EUR' })
    // Nothing is nothing in every currency.
    await world.outcome(ana, now - 60_000, { currency: 'CLP', amount: 0 })
    await world.outcome(ben, now - 60_000, { currency: 'CLP', amount: 0 })
    await world.recompute()
    const checks = byKey((await call('GET', '/quality')).body.data.checks)
    expect(checks).toMatchObject({
      conversions_joined: { value: 0.5, status: 'warn' },
      missing_fx_rates: { value: 1, status: 'fail', details: [{ label: 'EUR', count: 1 }] },
    })
  })

  it('counts notifications that were not understood, by what they were and why', async () => {
    const { id, call } = await tracking.profile()
    await tracking.pool.query(
      `WITH endpoint AS (
         INSERT INTO hook_endpoints (profile_id, provider, source, sealed_secret) VALUES ($1, 'stripe', 'stripe', '')
         RETURNING id)
       INSERT INTO hook_deliveries (id, profile_id, endpoint_id, delivery_key, topic, told_at, status, reason, received_at)
       SELECT gen_random_uuid(), $1, endpoint.id, n::text::bytea, 'charge.succeeded', now(), d.status, d.reason,
         now() - make_interval(mins => d.minutes)
       FROM endpoint, ROWS FROM (
         unnest(ARRAY['unmappable', 'unmappable', 'mapped', 'mapped', 'mapped']),
         unnest(ARRAY['currency: must be', 'currency: must be', NULL, 'payment_not_told_yet', 'payment_not_told_yet']),
         unnest(ARRAY[0, 0, 90, 90, 10])
       ) WITH ORDINALITY AS d (status, reason, minutes, n)`,
      [id],
    )
    expect(byKey((await call('GET', '/quality')).body.data.checks)).toMatchObject({
      unmappable_notifications: {
        value: 3,
        status: 'warn',
        fix: expect.stringContaining('hooks replay'),
        details: [
          { label: 'stripe charge.succeeded currency: must be', count: 2 },
          { label: 'stripe charge.succeeded payment_not_told_yet', count: 1 },
        ],
      },
    })
  })

  it('lists what was turned away and event types that no definition lists', async () => {
    const { id, call } = await tracking.profile()
    await tracking.pool.query(
      `INSERT INTO refusals (profile_id, day, source, reason, count) VALUES
         ($1, now()::date, 'collect', 'tracking_key_revoked', 4), ($1, now()::date, 'visits', 'invalid_message', 2),
         ($1, now()::date - 30, 'collect', 'validation_error', 99)`,
      [id],
    )
    const world = await openProfile(tracking.warehouse, { profile: id })
    await world.outcome(randomUUID(), Date.now() - 60_000, { type: 'newsletter' })
    expect(byKey((await call('GET', '/quality')).body.data.checks)).toMatchObject({
      unknown_keys: { value: 4, status: 'warn', details: [{ label: 'collect tracking_key_revoked', count: 4 }] },
      rejected_share: { value: 1, details: [{ label: 'visits invalid_message', count: 2 }] },
      unlisted_event_types: { value: 1, details: [{ label: 'newsletter', count: 1 }] },
    })
    expect((await call('GET', '/ops')).body.data.rejected).toEqual([
      { source: 'collect', reason: 'tracking_key_revoked', count: 4 },
      { source: 'visits', reason: 'invalid_message', count: 2 },
    ])
  })

  it('is each profile’s own, and needs analytics:read', async () => {
    const mine = await tracking.profile()
    await receiptsOf(mine.id, randomUUID())
    const theirs = await tracking.profile()
    expect(byKey((await theirs.call('GET', '/quality')).body.data.checks)).toMatchObject({
      duplicate_share: { value: null },
    })
    expect((await theirs.call('GET', '/ops')).body.data.rates).toEqual([])
    const writer = await tracking.profile(['attribution:write'])
    for (const path of ['/quality', '/ops']) {
      expect((await writer.call('GET', path)).body.error.code).toBe('insufficient_scope')
    }
  })
})

describe('tracking ops', () => {
  it('shows lag, rates and the size of tables', async () => {
    const { id, call } = await tracking.profile()
    await receiptsOf(id, randomUUID(), [{}, {}])
    await receiptsOf(id, randomUUID(), [{ source: 'server' }])
    const { status, body } = await call('GET', '/ops')
    expect(status).toBe(200)
    const { lag, total_lag, rates, tables } = body.data
    expect(lag.map(({ topic }: { topic: string }) => topic)).toEqual(
      expect.arrayContaining(['visits', 'events', 'dirty-customers']),
    )
    expect(total_lag).toBeGreaterThanOrEqual(0)
    expect(rates.map(({ source, events }: { source: string; events: number }) => ({ source, events }))).toEqual([
      { source: 'server', events: 1 },
      { source: 'tracker', events: 2 },
    ])
    expect(tables).toContainEqual({ name: 'event_receipts', rows: 3, bytes: expect.any(Number) })
    expect(tables).toContainEqual({ name: 'hits', rows: 0, bytes: 0 })
  })

  it('counts events that came up to two days late', async () => {
    const { id, call } = await tracking.profile()
    const hoursAgo = (hours: number) => ({ event_time: timestamp(Date.now() - hours * 3_600_000) })
    await receiptsOf(id, randomUUID(), [hoursAgo(71), hoursAgo(73)])
    expect((await call('GET', '/ops')).body.data.rates).toMatchObject([{ source: 'tracker', events: 1 }])
  })

  it('answers without the lag while the brokers are away', async () => {
    const lag = recentLag({ lag: () => Promise.reject(new Error('away')) })
    expect(await lag()).toBeNull()
    const slow = recentLag({ lag: () => new Promise(() => {}) }, { patienceMs: 10 })
    expect(await slow()).toBeNull()
  })
})
