import { isCurrency } from '../../domain/currencies.ts'
import { isUuid } from '../../domain/ids.ts'
import { dayMs, isPlausibleTime } from '../../domain/time.ts'
import { timeZones } from '../../domain/time-zones.ts'
import type {
  AdDelivery,
  CrmOutcome,
  DirtyCustomers,
  FxRate,
  Hit,
  Identifier,
  IdentitySighting,
  Payment,
  PaymentAction,
  SealedTraits,
  ServerEvent,
  Setting,
  VisitBatch,
} from '../../schemas/messages.ts'
import { each, ok, reject, type Step } from '../runner/pipeline.ts'

/**
 * A schema says what a message looks like, not what the tables can hold: one row that an engine refuses would fail its
 * batch for ever. `toldAt` is the broker's time of the message, so that a replay judges as the first reading did.
 */
export const plausible = <Value>(holds: (value: Value, toldAt: number) => boolean): Step<Value, Value> =>
  each(({ value, timestamp }) => (holds(value, Number(timestamp)) ? ok(value) : reject('invalid_message')))

const isId = (id: string | null): boolean => id === null || isUuid(id)
const isCount = (count: number | null): boolean => count === null || count >= 0

const isMoney = ({ amount_minor, currency }: { amount_minor: number | null; currency: string | null }): boolean =>
  isCount(amount_minor) && (amount_minor === null || (currency !== null && isCurrency(currency)))

const isPerson = ({ identifiers, traits }: { identifiers: Identifier[]; traits: SealedTraits | null }): boolean =>
  identifiers.every(({ token }) => isUuid(token)) && (traits === null || isUuid(traits.token))

const isHit = (hit: Hit, toldAt: number): boolean =>
  isUuid(hit.event_id) &&
  isPlausibleTime(hit.event_time, toldAt) &&
  isMoney(hit) &&
  isPerson(hit) &&
  isId(hit.linked_token)

export const isVisit = (visit: VisitBatch, toldAt: number): boolean =>
  isUuid(visit.profile_id) &&
  isUuid(visit.visitor_id) &&
  isPlausibleTime(visit.received_at, toldAt) &&
  visit.hits.every((hit) => isHit(hit, toldAt))

/** An outcome of any source: what they share, and the ids that only some have. */
export function isOutcome(outcome: ServerEvent | CrmOutcome | Payment, toldAt: number): boolean {
  const id = 'payment_id' in outcome ? outcome.payment_id : outcome.outcome_event_id
  return (
    isUuid(outcome.profile_id) &&
    isUuid(id) &&
    isPlausibleTime(outcome.occurred_at, toldAt) &&
    isPlausibleTime(outcome.received_at, toldAt) &&
    isMoney(outcome) &&
    isPerson(outcome) &&
    (!('refunded_minor' in outcome) || isCount(outcome.refunded_minor)) &&
    (!('visitor_id' in outcome) || isId(outcome.visitor_id)) &&
    (!('subject_ref_token' in outcome) || isId(outcome.subject_ref_token))
  )
}

export const isDelivery = (delivery: AdDelivery, toldAt: number): boolean =>
  isUuid(delivery.profile_id) &&
  isPlausibleTime(delivery.date * dayMs, toldAt) &&
  isCurrency(delivery.currency) &&
  [
    delivery.impressions,
    delivery.clicks,
    delivery.reach,
    delivery.messaging_conversations_started_7d,
    delivery.platform_conversions,
  ].every(isCount)

export const isIdentitySighting = (sighting: IdentitySighting, toldAt: number): boolean =>
  isUuid(sighting.profile_id) &&
  isUuid(sighting.sighting_id) &&
  isPlausibleTime(sighting.occurred_at, toldAt) &&
  isPerson(sighting)

/** A day that a Date of ClickHouse holds. */
const isDay = (day: number) => day >= 0 && day <= 65_535

export const isRate = (rate: FxRate): boolean => isCurrency(rate.base) && isCurrency(rate.quote) && isDay(rate.date)

export function isSetting({ profile_id, version, value }: Setting): boolean {
  if (!isUuid(profile_id) || version < 0) return false
  if ('touchline.ProfileSetting' in value) {
    const { reporting_currency, timezone } = value['touchline.ProfileSetting']
    return isCurrency(reporting_currency) && timeZones.has(timezone)
  }
  if ('touchline.StageSetting' in value) return value['touchline.StageSetting'].stage_id !== ''
  const { definition_id, lookback_window_days } = value['touchline.DefinitionSetting']
  return isUuid(definition_id) && isDay(lookback_window_days)
}

export function isPaymentAction({ profile_id, payment_id, version, value }: PaymentAction): boolean {
  if (!isUuid(profile_id) || !isUuid(payment_id) || version < 0) return false
  if ('touchline.PayerAssignment' in value) return isId(value['touchline.PayerAssignment'].subject_id)
  return !('touchline.ManualRefund' in value) || isCount(value['touchline.ManualRefund'].amount_minor)
}

export const isDirty = ({ profile_id, subject_ids }: DirtyCustomers): boolean =>
  isUuid(profile_id) && subject_ids.every(isUuid)
