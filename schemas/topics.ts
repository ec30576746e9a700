import type {
  AdDelivery,
  CrmOutcome,
  DirtyCustomers,
  FxRate,
  IdentitySighting,
  Payment,
  PaymentAction,
  Rejected,
  ServerEvent,
  Setting,
  VisitBatch,
} from './messages.ts'

export interface Topic<Value> {
  name: string
  /** The natural key of the thing a message tells of: order among messages with one key is data. */
  key: (value: Value) => string
  partitions: number
  retentionMs: number
}

const forever = -1
const days = (n: number) => n * 24 * 3600 * 1000

const topic = <Value>(definition: Topic<Value>): Topic<Value> => definition

/** Every topic: raw ones are kept for ever, so that everything derived can be derived again. */
export const topics = {
  visits: topic<VisitBatch>({
    name: 'visits',
    key: (v) => `${v.profile_id}:${v.visitor_id}`,
    partitions: 6,
    retentionMs: forever,
  }),
  events: topic<ServerEvent>({
    name: 'events',
    key: (v) => `${v.profile_id}:${v.outcome_event_id}`,
    partitions: 6,
    retentionMs: forever,
  }),
  crmOutcomes: topic<CrmOutcome>({
    name: 'crm-outcomes',
    key: (v) => `${v.profile_id}:${v.outcome_event_id}`,
    partitions: 6,
    retentionMs: forever,
  }),
  payments: topic<Payment>({
    name: 'payments',
    key: (v) => `${v.profile_id}:${v.payment_id}`,
    partitions: 6,
    retentionMs: forever,
  }),
  adDelivery: topic<AdDelivery>({
    name: 'ad-delivery',
    key: (v) => `${v.profile_id}:${v.platform}:${v.ad_external_id}:${v.date}`,
    partitions: 6,
    retentionMs: forever,
  }),
  settings: topic<Setting>({
    name: 'settings',
    key: (v) => v.profile_id,
    partitions: 6,
    retentionMs: forever,
  }),
  paymentActions: topic<PaymentAction>({
    name: 'payment-actions',
    key: (v) => `${v.profile_id}:${v.payment_id}`,
    partitions: 6,
    retentionMs: forever,
  }),
  identity: topic<IdentitySighting>({
    name: 'identity',
    key: (v) => `${v.profile_id}:${v.sighting_id}`,
    partitions: 6,
    retentionMs: forever,
  }),
  fxRates: topic<FxRate>({
    name: 'fx-rates',
    key: (v) => `${v.base}:${v.quote}:${v.date}`,
    partitions: 1,
    retentionMs: forever,
  }),
  dirtyCustomers: topic<DirtyCustomers>({
    name: 'dirty-customers',
    key: (v) => v.profile_id,
    partitions: 6,
    retentionMs: days(7),
  }),
  rejected: topic<Rejected>({
    name: 'rejected',
    key: (v) => `${v.topic}:${v.partition}:${v.offset}`,
    partitions: 1,
    retentionMs: days(30),
  }),
} as const

/** What is derived is written by processors; everything else is what happened, and is replayed. */
export const rawTopics: readonly Topic<never>[] = Object.values(topics).filter(
  (one) => one.name !== topics.dirtyCustomers.name && one.name !== topics.rejected.name,
)

/** The consumer group of a topic's processor. */
export const groupOf = (name: string) => `touchline-${name}`
