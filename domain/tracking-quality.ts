/** What is known about a profile's tracking: counts of the last days unless said otherwise. */
export interface TrackingFacts {
  conversions: number
  joinedConversions: number
  conversionsWithoutRate: number
  currenciesWithoutRate: readonly string[]
  paidHits: number
  paidHitsWithAd: number
  hits: number
  /** How often these hits were delivered. */
  receipts: number
  skewedEvents: number
  minutesSinceHit: number | null
  refusals: readonly Count[]
  /** Notifications of providers that were not understood, or tell a refund of a payment that none told of. */
  unmappableNotifications: readonly Count[]
  blockedLinks: readonly Count[]
  sharedIdentifiers: number
  unlistedEventTypes: readonly Count[]
  hasTrackingKey: boolean
  hasDefinition: boolean
  /** Of all time. */
  hasHits: boolean
  hasOutcomes: boolean
  hasDelivery: boolean
  hasCredit: boolean
}

export interface Count {
  label: string
  count: number
}

export const qualityStatuses = ['pass', 'warn', 'fail', 'no_data'] as const
export type QualityStatus = (typeof qualityStatuses)[number]

export interface QualityCheck {
  key: string
  status: QualityStatus
  /** A share, a count or minutes, as the key says; null without data. */
  value: number | null
  /** Where `pass` ends. */
  threshold: number
  /** What to do about it; null when there is nothing to do. */
  fix: string | null
  details: Count[]
}

export interface ReadinessStep {
  key: string
  is_done: boolean
  fix: string | null
}

const keyReasons = new Set(['collect tracking_key_unknown', 'collect tracking_key_revoked'])
const most = 20

export function judgeTracking(facts: TrackingFacts): { checks: QualityCheck[]; readiness: ReadinessStep[] } {
  return { checks: checksOf(facts), readiness: readinessOf(facts) }
}

function checksOf(facts: TrackingFacts): QualityCheck[] {
  const keyRefusals = facts.refusals.filter(({ label }) => keyReasons.has(label))
  const rejected = facts.refusals.filter(({ label }) => !keyReasons.has(label))
  const rejectedCount = sum(rejected)
  return [
    atLeast('conversions_joined', share(facts.joinedConversions, facts.conversions), 0.7, 0.4, {
      fix: 'Identify visitors before they convert: call identify on sign-up and checkout, send link tokens in e-mails, and pass e-mail or phone with server events.',
    }),
    atLeast('ad_id_coverage', share(facts.paidHitsWithAd, facts.paidHits), 0.8, 0.5, {
      fix: 'Add svc_campaign_id, svc_ad_set_id and svc_ad_id to the URL parameters of the ads, so that a click names its ad.',
    }),
    atMost('unknown_keys', sum(keyRefusals), 0, Number.POSITIVE_INFINITY, {
      fix: 'A site of yours sends with a tracking key that is revoked or unknown: put the current snippet on it.',
      details: keyRefusals,
    }),
    atMost('rejected_share', share(rejectedCount, rejectedCount + facts.receipts), 0.01, 0.05, {
      fix: 'Look at the reasons: each names what senders got wrong.',
      details: rejected,
    }),
    atMost('unmappable_notifications', sum(facts.unmappableNotifications), 0, Number.POSITIVE_INFINITY, {
      fix: 'Providers told of something that was not understood, perhaps payments: look at the reasons, mend what is sent or update the service, and map them again with "touchline hooks replay". A refund with payment_not_told_yet is of a payment that came another way: import that again with its refund, or refund it by hand. Topics that you do not need can be switched off at the provider.',
      details: facts.unmappableNotifications,
    }),
    atMost('clock_skew_share', share(facts.skewedEvents, facts.hits), 0.05, 0.2, {
      fix: 'Clocks of senders are wrong; it is taken out where sent_at is sent. Check servers that send hits for others.',
    }),
    atMost('duplicate_share', share(facts.receipts - facts.hits, facts.receipts), 0.05, 0.2, {
      fix: 'Hits are delivered more than once; each counts once. Check for a proxy that retries, or a snippet that is installed twice.',
    }),
    atMost('minutes_since_last_hit', facts.minutesSinceHit, 60, 1440, {
      fix: 'No hit has come in for a while: open a page of the site, and start an install verification.',
    }),
    atMost('identity_guards', sum(facts.blockedLinks) + facts.sharedIdentifiers, 0, Number.POSITIVE_INFINITY, {
      fix: 'Some evidence would join different people and was kept from it: look for shared e-mails or phones, such as those of staff.',
      details: [...facts.blockedLinks, ...countOf('shared_identifier', facts.sharedIdentifiers)],
    }),
    atMost('missing_fx_rates', facts.conversionsWithoutRate, 0, 0, {
      fix: 'Import exchange rates for these currencies: conversions in them are counted, and left out of sums of money.',
      details: facts.currenciesWithoutRate.map((label) => ({ label, count: 1 })),
    }),
    atMost('unlisted_event_types', facts.unlistedEventTypes.length, 0, Number.POSITIVE_INFINITY, {
      fix: 'No conversion definition lists these event types, so they count as nothing: add them to one, or leave them.',
      details: [...facts.unlistedEventTypes],
    }),
  ]
}

function readinessOf(facts: TrackingFacts): ReadinessStep[] {
  const step = (key: string, isDone: boolean, fix: string) => ({ key, is_done: isDone, fix: isDone ? null : fix })
  return [
    step('tracking_key_issued', facts.hasTrackingKey, 'Issue a tracking key.'),
    step('tracker_installed', facts.hasHits, 'Put the snippet on the site; the first hit completes this step.'),
    step('conversions_defined', facts.hasDefinition, 'Define which events are conversions.'),
    step('ad_platform_connected', facts.hasDelivery, 'Connect an ad platform, or import ad delivery.'),
    // SPEC 4.6: server events satisfy it, without any connection.
    step(
      'crm_or_outcome_source_connected',
      facts.hasOutcomes,
      'Connect a CRM or payment provider, or send outcomes with POST /events.',
    ),
    step('conversions_credited', facts.hasCredit, 'Wait for the first conversion of somebody who came by an ad.'),
  ]
}

interface Advice {
  fix: string
  details?: readonly Count[]
}

/** More is better: below `warnBelow` a warning, below `failBelow` a failure. */
const atLeast = (key: string, value: number | null, warnBelow: number, failBelow: number, advice: Advice) =>
  check(key, value, warnBelow, advice, (found) => (found >= warnBelow ? 'pass' : found >= failBelow ? 'warn' : 'fail'))

/** Less is better. */
const atMost = (key: string, value: number | null, warnAbove: number, failAbove: number, advice: Advice) =>
  check(key, value, warnAbove, advice, (found) => (found <= warnAbove ? 'pass' : found <= failAbove ? 'warn' : 'fail'))

function check(
  key: string,
  value: number | null,
  threshold: number,
  { fix, details = [] }: Advice,
  judge: (value: number) => QualityStatus,
): QualityCheck {
  const status = value === null ? 'no_data' : judge(value)
  return { key, status, value, threshold, fix: status === 'pass' ? null : fix, details: details.slice(0, most) }
}

const sum = (counts: readonly Count[]) => counts.reduce((total, { count }) => total + count, 0)
const share = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000)
const countOf = (label: string, count: number): Count[] => (count === 0 ? [] : [{ label, count }])
