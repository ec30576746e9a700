import { describe, expect, it } from 'vitest'
import { judgeTracking, type QualityStatus, type TrackingFacts } from '../../domain/tracking-quality.ts'

const nothing: TrackingFacts = {
  conversions: 0,
  joinedConversions: 0,
  conversionsWithoutRate: 0,
  currenciesWithoutRate: [],
  paidHits: 0,
  paidHitsWithAd: 0,
  hits: 0,
  receipts: 0,
  skewedEvents: 0,
  minutesSinceHit: null,
  refusals: [],
  unmappableNotifications: [],
  blockedLinks: [],
  sharedIdentifiers: 0,
  unlistedEventTypes: [],
  hasTrackingKey: false,
  hasDefinition: false,
  hasHits: false,
  hasOutcomes: false,
  hasDelivery: false,
  hasCredit: false,
}
const checkOf = (key: string, facts: Partial<TrackingFacts>) =>
  judgeTracking({ ...nothing, ...facts }).checks.find((check) => check.key === key)!

describe('a check', () => {
  it.each<[string, Partial<TrackingFacts>, QualityStatus, number | null]>([
    ['conversions_joined', {}, 'no_data', null],
    ['conversions_joined', { conversions: 10, joinedConversions: 7 }, 'pass', 0.7],
    ['conversions_joined', { conversions: 10, joinedConversions: 4 }, 'warn', 0.4],
    ['conversions_joined', { conversions: 3, joinedConversions: 1 }, 'fail', 0.3333],
    ['ad_id_coverage', { paidHits: 10, paidHitsWithAd: 8 }, 'pass', 0.8],
    ['ad_id_coverage', { paidHits: 10, paidHitsWithAd: 0 }, 'fail', 0],
    ['unknown_keys', {}, 'pass', 0],
    ['unknown_keys', { refusals: [{ label: 'collect tracking_key_revoked', count: 3 }] }, 'warn', 3],
    ['unmappable_notifications', { unmappableNotifications: [{ label: 'stripe x y', count: 2 }] }, 'warn', 2],
    ['rejected_share', { receipts: 99, refusals: [{ label: 'collect validation_error', count: 1 }] }, 'pass', 0.01],
    ['rejected_share', { receipts: 9, refusals: [{ label: 'visits undecodable', count: 1 }] }, 'fail', 0.1],
    ['clock_skew_share', { hits: 100, skewedEvents: 6 }, 'warn', 0.06],
    ['duplicate_share', { hits: 3, receipts: 4 }, 'fail', 0.25],
    ['duplicate_share', { hits: 4, receipts: 4 }, 'pass', 0],
    ['minutes_since_last_hit', { minutesSinceHit: 61 }, 'warn', 61],
    ['minutes_since_last_hit', { minutesSinceHit: 1441 }, 'fail', 1441],
    ['identity_guards', { blockedLinks: [{ label: 'hub', count: 2 }], sharedIdentifiers: 1 }, 'warn', 3],
    ['missing_fx_rates', { conversionsWithoutRate: 1, currenciesWithoutRate: ['EUR'] }, 'fail', 1],
    ['unlisted_event_types', { unlistedEventTypes: [{ label: 'signup', count: 9 }] }, 'warn', 1],
  ])('%s of %j is %s at %s', (key, facts, status, value) => {
    expect(checkOf(key, facts)).toMatchObject({ status, value })
  })

  it('says what to do about everything that does not pass, and shows what it is made of', () => {
    for (const { status, fix } of judgeTracking(nothing).checks) expect(fix === null).toBe(status === 'pass')
    expect(checkOf('missing_fx_rates', { conversionsWithoutRate: 5, currenciesWithoutRate: ['EUR'] }).details).toEqual([
      { label: 'EUR', count: 1 },
    ])
  })
})

it('SPEC 4.6: the arrival of outcomes completes the step of an outcome source, without a connection', () => {
  const step = (facts: Partial<TrackingFacts>) =>
    judgeTracking({ ...nothing, ...facts }).readiness.find(({ key }) => key === 'crm_or_outcome_source_connected')
  expect(step({})).toMatchObject({ is_done: false, fix: expect.any(String) })
  expect(step({ hasOutcomes: true })).toEqual({ key: 'crm_or_outcome_source_connected', is_done: true, fix: null })
})
