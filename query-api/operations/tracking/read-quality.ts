import { z } from 'zod'
import { conversionCoverage } from '../../../clickhouse/queries/conversion-coverage.ts'
import { trackingReceipts } from '../../../clickhouse/queries/tracking-receipts.ts'
import { trackingSources } from '../../../clickhouse/queries/tracking-sources.ts'
import { unlistedEventTypes } from '../../../clickhouse/queries/unlisted-event-types.ts'
import { dayMs } from '../../../domain/time.ts'
import { judgeTracking, type QualityStatus, qualityStatuses } from '../../../domain/tracking-quality.ts'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { listDefinitions } from '../../../postgres/stores/definitions.ts'
import { countUncounted } from '../../../postgres/stores/hook-deliveries.ts'
import { blockedLinks, countHubs } from '../../../postgres/stores/identity-guards.ts'
import { refusalsSince } from '../../../postgres/stores/refusals.ts'
import { lastHitOf, listTrackingKeys } from '../../../postgres/stores/tracking-keys.ts'
import { operation } from '../../tracking-operation.ts'

const recentDays = 7
const conversionDays = 30
const mostTypes = 20
const worstFirst: readonly QualityStatus[] = ['fail', 'warn', 'pass']

const QualityCheck = z
  .object({
    key: z.string().meta({
      description:
        '`conversions_joined`, `ad_id_coverage`, `unknown_keys`, `rejected_share`, `unmappable_notifications`, `clock_skew_share`, `duplicate_share`, `minutes_since_last_hit`, `identity_guards`, `missing_fx_rates`, `unlisted_event_types`.',
      examples: ['conversions_joined'],
    }),
    status: z.enum(qualityStatuses),
    value: z.number().nullable().meta({ description: 'A share from 0 to 1, a count, or minutes; null without data.' }),
    threshold: z.number().meta({ description: 'Where `pass` ends.' }),
    fix: z.string().nullable().meta({ description: 'What to do about it.' }),
    details: z
      .array(z.object({ label: z.string(), count: z.number() }).meta({ id: 'QualityDetail' }))
      .meta({ description: 'What the value is made of: reasons, currencies, event types.' }),
  })
  .meta({ id: 'QualityCheck' })

const ReadinessStep = z
  .object({ key: z.string(), is_done: z.boolean(), fix: z.string().nullable() })
  .meta({ id: 'ReadinessStep' })

const TrackingQuality = z
  .object({
    status: z.enum(qualityStatuses).meta({ description: 'The worst of the checks.' }),
    checks: z.array(QualityCheck),
    readiness: z.array(ReadinessStep).meta({
      description: 'Steps from nothing to credited conversions, `crm_or_outcome_source_connected` among them.',
    }),
    recent_days: z.int().meta({ description: 'How far back hits and refusals are looked at.' }),
    conversion_days: z.int().meta({ description: 'How far back conversions and notifications are looked at.' }),
  })
  .meta({ id: 'TrackingQuality' })

export const readQuality = operation({
  id: 'readTrackingQuality',
  method: 'GET',
  url: '/tracking/quality',
  summary: 'Read the health of the tracking',
  tags: ['Tracking'],
  scopes: ['analytics:read'],
  response: one(TrackingQuality),
  handler: async ({ profile, postgres, clickhouse, request }) => {
    const recent = { profile: profile.id, days: recentDays }
    const since = new Date(request.receivedAt.getTime() - conversionDays * dayMs)
    const conversions = { profile: profile.id, days: conversionDays }
    const [[received], [coverage], [sources], unlisted, kept] = await Promise.all([
      clickhouse.run(trackingReceipts, recent),
      clickhouse.run(conversionCoverage, conversions),
      clickhouse.run(trackingSources, { profile: profile.id }),
      clickhouse.run(unlistedEventTypes, { profile: profile.id, since: since.toISOString(), limit: mostTypes }),
      asProfile(postgres, profile.id, async (tx) => ({
        refusals: await refusalsSince(tx, profile.id, recentDays),
        unmappable: await countUncounted(tx, profile.id, conversionDays),
        blocked: await blockedLinks(tx, profile.id),
        hubs: await countHubs(tx, profile.id),
        keys: await listTrackingKeys(tx, profile.id),
        lastHit: await lastHitOf(tx, profile.id),
        definitions: await listDefinitions(tx, profile.id),
      })),
    ])
    const { checks, readiness } = judgeTracking({
      conversions: coverage!.conversions,
      joinedConversions: coverage!.joined,
      conversionsWithoutRate: coverage!.without_rate,
      currenciesWithoutRate: coverage!.currencies_without_rate,
      paidHits: received!.paid,
      paidHitsWithAd: received!.paid_with_ad,
      hits: received!.events,
      receipts: received!.receipts,
      skewedEvents: received!.skewed,
      minutesSinceHit: minutesSince([received!.last_hit_at, kept.lastHit], request.receivedAt),
      refusals: kept.refusals.map(({ source, reason, count }) => ({ label: `${source} ${reason}`, count })),
      unmappableNotifications: kept.unmappable.map(({ provider, topic, reason, count }) => ({
        label: `${provider} ${topic} ${reason}`,
        count,
      })),
      blockedLinks: kept.blocked.map(({ reason, count }) => ({ label: reason, count })),
      sharedIdentifiers: kept.hubs,
      unlistedEventTypes: unlisted.map(({ event_type: label, events: count }) => ({ label, count })),
      hasTrackingKey: kept.keys.length > 0,
      hasDefinition: kept.definitions.length > 0,
      hasHits: sources!.has_hits,
      hasOutcomes: sources!.has_outcomes,
      hasDelivery: sources!.has_delivery,
      hasCredit: sources!.has_credit,
    })
    const worst = worstFirst.find((status) => checks.some((check) => check.status === status)) ?? 'no_data'
    return { status: worst, checks, readiness, recent_days: recentDays, conversion_days: conversionDays }
  },
})

/** Receipts are read by when events happened, so the last hit may be one that only its tracking key tells of. */
function minutesSince(sightings: readonly (string | Date | null)[], now: Date): number | null {
  const times = sightings.filter((time) => time !== null).map((time) => new Date(time).getTime())
  return times.length === 0 ? null : Math.max(0, Math.round((now.getTime() - Math.max(...times)) / 60_000))
}
